//! The command line.

#[macro_use]
mod output;

mod access_keys;
mod control;
mod jobs;
mod logging;
mod memory;
mod ops;
mod serve;
mod services;
mod settings;
mod tables;
mod token;
mod verify;
mod welcome;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use allocator as _;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

/// The base a SaaS stands on: a DynamoDB-compatible database in one binary.
///
/// Without a command, `plinth serve` with the settings that are given.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the DynamoDB API and the services.
    Serve(Box<settings::Settings>),
    /// Make, list, disable and delete the keys that requests are signed with.
    AccessKeys(access_keys::Arguments),
    /// Sign a short-lived token for scripts, for whoever can read the data folder.
    Token(token::Arguments),
    /// Work with keys, webhooks, the audit log and rate limits of a running server.
    Ops(Box<ops::Arguments>),
    /// Print the reference of all settings, as Markdown.
    Settings,
    /// Check a database folder: that it opens, and that every commit of its log matches its hash.
    ///
    /// The database must not be open elsewhere. No item is changed.
    Verify {
        /// The data folder of a server, or the folder of a database.
        folder: PathBuf,
    },
    /// Work with the table documents: check, plan, apply, and write infrastructure from them.
    #[command(subcommand)]
    Tables(tables::Command),
}

fn main() -> ExitCode {
    let outcome = match parse().map(|arguments| arguments.command) {
        Ok(Command::Serve(settings)) => serve::run(*settings),
        Ok(Command::AccessKeys(arguments)) => access_keys::run(arguments),
        Ok(Command::Token(arguments)) => token::run(arguments),
        Ok(Command::Ops(arguments)) => return ops::run(*arguments),
        Ok(Command::Settings) => {
            print!("{}", settings::reference(&Arguments::command()));
            Ok(())
        }
        Ok(Command::Verify { folder }) => verify::run(&folder),
        Ok(Command::Tables(command)) => return tables::run(command),
        Err(problem) => Err(problem),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// The command line, completed by the configuration file. Help and mistakes in usage end the process.
fn parse() -> Result<Arguments, String> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    let first = arguments.get(1).map(|argument| argument.to_string_lossy().into_owned());
    let is_bare = first.is_none_or(|first| {
        first.starts_with('-') && !["-h", "--help", "-V", "--version"].contains(&first.as_str())
    });
    if is_bare {
        arguments.insert(1, "serve".into());
    }
    let matches = settings::matches(Arguments::command(), arguments);
    let matches = matches.unwrap_or_else(|error| error.exit());
    Arguments::from_arg_matches(&matches).map_err(|error| error.to_string())
}

/// The settings of a server that is started with these flags here, for commands that need what it has.
fn serve_settings(flags: Vec<OsString>) -> Result<settings::Settings, String> {
    let mut arguments: Vec<OsString> = vec!["plinth".into(), "serve".into()];
    arguments.extend(flags);
    let matches = settings::matches(Arguments::command(), arguments);
    let matches = matches.map_err(|error| error.to_string())?;
    match Arguments::from_arg_matches(&matches).map(|arguments| arguments.command) {
        Ok(Command::Serve(settings)) => Ok(*settings),
        Ok(_) => Err("These are no settings of a server.".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    /// Clap keeps one value for one id: a subcommand's own `--url` would also be the global one, and
    /// the administrator's token would go there.
    fn check(command: &clap::Command, path: &str, above: &[&Arg]) {
        for argument in command.get_arguments() {
            let long = argument.get_long();
            for global in above {
                assert_ne!(
                    argument.get_id(),
                    global.get_id(),
                    "{path} takes a global argument's id"
                );
                assert!(long.is_none() || long != global.get_long(), "{path} --{long:?} is global");
            }
        }
        let globals = command.get_arguments().filter(|argument| argument.is_global_set());
        let above: Vec<&Arg> = above.iter().copied().chain(globals).collect();
        for below in command.get_subcommands() {
            check(below, &format!("{path} {}", below.get_name()), &above);
        }
    }

    #[test]
    fn no_argument_of_a_subcommand_is_also_a_global_one() {
        check(&Arguments::command(), "plinth", &[]);
    }
}
