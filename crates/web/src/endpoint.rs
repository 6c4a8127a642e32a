//! Which functions are handlers: those that begin with a permission.

use std::future::Future;
use std::sync::Arc;

use kernel::error::Error;
use kernel::permissions::{Permission, Rule};

use super::extract::{Extract, Input};
use super::seams::Pending;
use super::{Allowed, Answer, Description};

/// A handler: an async function whose first argument is [`Allowed`] and whose others can be taken
/// from a request.
///
/// ```compile_fail
/// # use web::{Answer, Api, Route};
/// async fn handler() -> Result<Answer, kernel::Error> { Ok(Answer::no_content()) }
/// // No permission, no route.
/// Api::new("sample", ()).route(Route::get("/things", "listThings"), handler);
/// ```
///
/// ```
/// # use web::{Allowed, Answer, Api, Route};
/// # kernel::permissions! {
/// #     /// What the sample asks for.
/// #     pub SAMPLE {
/// #         /// Reads things.
/// #         ThingsRead = "things:read", Account, roles [Owner], everywhere [];
/// #     }
/// # }
/// async fn handler(_: Allowed<ThingsRead>) -> Result<Answer, kernel::Error> {
///     Ok(Answer::no_content())
/// }
/// Api::new("sample", ()).route(Route::get("/things", "listThings"), handler);
/// ```
#[diagnostic::on_unimplemented(
    message = "this is no handler",
    note = "a handler is an async function that takes `Allowed<Permission>` first, then inputs, and \
            gives Result<Answer, Error>"
)]
pub trait Endpoint<S, Marker>: Send + Sync + 'static {
    /// The permission it demands.
    fn rule() -> Rule;

    /// What it takes.
    fn describe(description: &mut Description);

    /// Takes its inputs and runs.
    fn call(&self, input: &Input<'_, S>) -> Pending<'static, Answer>;
}

macro_rules! endpoint {
    ($($input:ident $value:ident)*) => {
        impl<S, F, Out, P, $($input),*> Endpoint<S, (P, $($input,)*)> for F
        where
            F: Fn(Allowed<P>, $($input),*) -> Out + Send + Sync + 'static,
            Out: Future<Output = Result<Answer, Error>> + Send + 'static,
            P: Permission,
            $($input: Extract<S>,)*
        {
            fn rule() -> Rule {
                P::RULE
            }

            // The underscore is for the handler without inputs, which describes none.
            fn describe(_description: &mut Description) {
                $($input::describe(_description);)*
            }

            fn call(&self, input: &Input<'_, S>) -> Pending<'static, Answer> {
                $(let $value = match $input::extract(input) {
                    Ok(value) => value,
                    Err(error) => return Box::pin(async { Err(error) }),
                };)*
                Box::pin(self(Allowed::proven(input.context.clone()), $($value),*))
            }
        }
    };
}

endpoint!();
endpoint!(A a);
endpoint!(A a B b);
endpoint!(A a B b C c);
endpoint!(A a B b C c D d);
endpoint!(A a B b C c D d E e);
endpoint!(A a B b C c D d E e G g);

/// A handler whose types are forgotten, with its state.
pub(super) trait Bound: Send + Sync {
    fn call(&self, input: &Input<'_, ()>) -> Pending<'static, Answer>;
}

pub(super) fn bind<S, M, E>(state: S, endpoint: E) -> Arc<dyn Bound>
where
    S: Send + Sync + 'static,
    M: 'static,
    E: Endpoint<S, M>,
{
    struct With<S, M, E>(S, E, std::marker::PhantomData<fn() -> M>);
    impl<S: Send + Sync, M, E: Endpoint<S, M>> Bound for With<S, M, E> {
        fn call(&self, input: &Input<'_, ()>) -> Pending<'static, Answer> {
            let Input { context, head, body, checks, .. } = input;
            let (context, body) = (context.clone(), body.clone());
            self.1.call(&Input { state: &self.0, context, head, body, checks })
        }
    }
    Arc::new(With(state, endpoint, std::marker::PhantomData))
}
