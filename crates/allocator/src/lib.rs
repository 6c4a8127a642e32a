//! The memory allocator of every Plinth program: a program that names this crate has it.
//!
//! jemalloc, because it gives back what was freed: its own threads return pages that nobody has used
//! for a second, also in a process that does nothing any more. mimalloc is as fast (a twentieth faster
//! for a Query, no faster for anything else), but keeps what each thread had, in pages of 2 MiB.

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// What jemalloc reads when it starts: freed pages go back after a second instead of ten.
#[expect(unsafe_code, reason = "the name under which jemalloc looks for its settings")]
// SAFETY: jemalloc takes this symbol for a pointer to a text that ends with a zero, as it is.
#[unsafe(export_name = "_rjem_malloc_conf")]
pub static SETTINGS: &[u8; 37] = b"dirty_decay_ms:1000,muzzy_decay_ms:0\0";
