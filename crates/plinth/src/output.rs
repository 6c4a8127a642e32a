//! What commands print, in one place: the standard macros panic when nobody reads any more, as behind
//! `head`, or when the disk is full. The macros here have their names and end the process instead.

use std::fmt::Arguments;
use std::io::{self, Write as _};

/// What a shell shows of a tool that was ended by a broken pipe.
const BROKEN_PIPE: i32 = 128 + 13;

macro_rules! print {
    ($($text:tt)*) => { $crate::output::print(format_args!($($text)*)) };
}

macro_rules! println {
    ($($text:tt)*) => { $crate::output::print(format_args!("{}\n", format_args!($($text)*))) };
}

macro_rules! eprintln {
    ($($text:tt)*) => { $crate::output::complain(format_args!($($text)*)) };
}

/// Prints to the standard output, or ends the process.
pub fn print(text: Arguments<'_>) {
    let mut output = io::stdout().lock();
    if let Err(error) = output.write_fmt(text).and_then(|()| output.flush()) {
        end(&error);
    }
}

/// Prints a line to the standard error. There is nobody to tell if that fails.
pub fn complain(text: Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Ends the process because the standard output cannot be written: quietly if nobody reads it.
pub fn end(error: &io::Error) -> ! {
    if error.kind() == io::ErrorKind::BrokenPipe {
        std::process::exit(BROKEN_PIPE);
    }
    eprintln!("The standard output cannot be written: {error}");
    std::process::exit(1);
}
