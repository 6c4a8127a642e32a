//! Tests of the platform through its public interface, one module for each part.
