//! Requests see what happened before them.

use std::sync::Arc;

use arc_swap::ArcSwap;
use tokio::sync::{Notify, mpsc};

use super::home_lane::HomeLane;
use crate::dispatch::Serve;
use crate::frame::{Event, Request};
use crate::service::Service;

/// The service behind the home lane: a request sees every change of the home that arrived before it.
pub(super) struct InOrder {
    pub(super) service: ArcSwap<Service>,
    pub(super) lane: Arc<HomeLane>,
    /// Told when the service is another.
    pub(super) renewed: Notify,
}

impl InOrder {
    pub(super) fn current(&self) -> Arc<Service> {
        self.service.load_full()
    }

    /// Requests under way end with the service that they began with.
    pub(super) fn renew(&self, service: Service) {
        self.service.store(Arc::new(service.succeeding(&self.current())));
        self.renewed.notify_one();
    }
}

impl Serve for InOrder {
    async fn serve(&self, request: Request, events: mpsc::Sender<Event>) {
        self.lane.settled().await;
        self.current().serve(request, events).await;
    }

    async fn probe(&self) {
        self.lane.settled().await;
    }
}
