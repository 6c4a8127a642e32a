//! The calls of the C library that stand behind ours.
#![expect(unsafe_code, reason = "the next definition of a symbol is only found as a raw pointer")]

use std::ffi::CStr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The address of a call, looked up when it is first needed.
pub struct Real {
    name: &'static CStr,
    address: AtomicPtr<libc::c_void>,
}

impl Real {
    /// The call with this name.
    pub const fn new(name: &'static CStr) -> Real {
        Real { name, address: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Where it is. Ends the process if it is nowhere: it is named in this crate, so it exists.
    pub fn address(&self) -> *mut libc::c_void {
        let known = self.address.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        // SAFETY: the name is a C string, and looking up a symbol has no other condition.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        if found.is_null() {
            std::process::abort();
        }
        self.address.store(found, Ordering::Relaxed);
        found
    }
}

/// Declares a call of the C library: `real!(fn fsync(fd: c_int) -> c_int)` gives `real_fsync`'s
/// pointer as an expression.
macro_rules! real {
    ($name:literal as fn($($argument:ty),*) -> $result:ty) => {{
        static REAL: $crate::real::Real = $crate::real::Real::new($name);
        let address = REAL.address();
        // SAFETY: the C library defines this symbol with this signature.
        unsafe {
            std::mem::transmute::<*mut libc::c_void, unsafe extern "C" fn($($argument),*) -> $result>(
                address,
            )
        }
    }};
}
pub(crate) use real;
