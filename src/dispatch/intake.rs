//! Where every door hands in what it was asked.

use std::fmt;
use std::sync::Arc;

use super::{Answers, Deliver, Job, Shared};
use crate::frame::ErrorCode;

/// Takes requests.
pub trait Take: Send + Sync + fmt::Debug {
    /// Takes a request. It will be answered, if only by a refusal; nothing here waits.
    fn take(&self, job: Job);
}

/// Takes requests for the workers.
#[derive(Debug)]
pub struct Intake<D> {
    shared: Arc<Shared>,
    answers: Arc<Answers<D>>,
}

impl<D> Intake<D> {
    pub(super) fn new(shared: Arc<Shared>, answers: Arc<Answers<D>>) -> Self {
        Self { shared, answers }
    }
}

impl<D: Deliver + fmt::Debug> Take for Intake<D> {
    fn take(&self, job: Job) {
        // Those that lose their room may be of other askers.
        for displaced in self.shared.submit(job) {
            let (request, asker) = displaced.into_parts();
            let message = "too many requests wait already; nothing was done".to_owned();
            self.answers.try_fail(&asker, &request, ErrorCode::Overloaded, message);
        }
    }
}
