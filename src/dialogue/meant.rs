//! What an utterance comes to after the page was consulted.

use super::page::Naming;
use crate::home::{DeviceIndex, RoomIndex};
use crate::language::grammar::{JobAsk, Rejection};
use crate::language::order::Order;
use crate::retrieval::Candidate;

/// What an utterance comes to after the page was consulted.
#[derive(Clone, Debug, PartialEq)]
pub enum Meant {
    /// These orders; for these devices, if our question narrowed them; confirmed, if it was a yes.
    Orders {
        /// What to do.
        orders: Vec<Order>,
        /// Which devices, if that was the question.
        chosen: Option<Vec<DeviceIndex>>,
        /// The answer was a yes to a confirmation.
        confirmed: bool,
    },
    /// An order for something that was described, and what it may be.
    Described(Box<Order>, Vec<Candidate>),
    /// A situation, and the room it was said of.
    Situation(usize, Option<RoomIndex>),
    /// Something about what is to be done later.
    Jobs(Box<JobAsk>),
    /// These in place of the last thing that is to be done later: at its time, or at once where they have none.
    Instead(Vec<Order>),
    /// Whether a device is called so, as we asked.
    Called {
        /// What was asked.
        naming: Naming,
        /// The answer.
        yes: bool,
    },
    /// Nothing to do, and why.
    Nothing(Nothing),
}

/// Why there is nothing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Nothing {
    /// No command.
    Rejected(Rejection),
    /// Not understood; the words that were not.
    Unsure(Vec<String>),
    /// Nor could anybody say who was asked about it.
    Unhelped(Vec<String>),
    /// Our question was answered by a no.
    Cancelled,
    /// A yes that came too late.
    Expired,
}

pub(super) fn plain(orders: Vec<Order>) -> Meant {
    Meant::Orders { orders, chosen: None, confirmed: false }
}
