//! Tells the network by mDNS that Wyoming is spoken here, so that Home Assistant finds it by itself.

use std::net::SocketAddr;
use std::time::Duration;

use mdns_sd::{DaemonEvent, IfKind, Receiver, ServiceDaemon, ServiceInfo};
use tokio::time::{Instant, sleep};
use tracing::{info, warn};

/// What pipelines look for.
const KIND: &str = "_wyoming._tcp.local.";

/// The name of this machine.
const HOST_FILE: &str = "/etc/hostname";

/// Nothing is told besides where it is.
const NOTHING_MORE: &[(&str, &str)] = &[];

/// How often to look for interfaces that came or went, in seconds.
const LOOK_SECONDS: u32 = 60;

/// How long the first word on the network may take; probing for the name takes one of these seconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// Told for as long as it is kept; then a goodbye is said.
pub(super) struct Announcement {
    teller: ServiceDaemon,
    events: Receiver<DaemonEvent>,
}

impl Announcement {
    /// Begins to tell where `listen` is found: on all interfaces but the loopback, or on the one of its address.
    ///
    /// # Errors
    /// When the machine gives no thread or socket for it.
    pub(super) fn begin(listen: SocketAddr) -> Result<Self, mdns_sd::Error> {
        let teller = ServiceDaemon::new()?;
        let events = teller.monitor()?;
        teller.set_ip_check_interval(LOOK_SECONDS)?;
        let machine = std::fs::read_to_string(HOST_FILE).unwrap_or_default();
        let name = name(&machine);
        let host = format!("{name}.local.");
        let service = if listen.ip().is_unspecified() {
            teller.disable_interface(vec![IfKind::LoopbackV4, IfKind::LoopbackV6])?;
            ServiceInfo::new(KIND, &name, &host, "", listen.port(), NOTHING_MORE)?.enable_addr_auto()
        } else {
            teller.disable_interface(IfKind::All)?;
            teller.enable_interface(IfKind::Addr(listen.ip()))?;
            ServiceInfo::new(KIND, &name, &host, listen.ip(), listen.port(), NOTHING_MORE)?
        };
        teller.register(service)?;
        Ok(Self { teller, events })
    }

    /// Says in the log whether anybody could be told; that is all it does.
    pub(super) async fn watch(&self) {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            for event in self.events.try_iter() {
                if let DaemonEvent::Announce(name, _) = event {
                    return info!(name, "Wyoming is announced");
                }
            }
            sleep(PATIENCE / 40).await;
        }
        warn!("wyoming.announce: no network interface takes it; docs/doors.md says what the service has to be allowed");
    }
}

impl Drop for Announcement {
    fn drop(&mut self) {
        // Its thread says goodbye; whoever does not hear it forgets us by itself.
        let _ = self.teller.shutdown();
    }
}

/// What we are called there: of Avahi, which may own the machine's own name, it is told apart by its beginning.
fn name(machine: &str) -> String {
    let sound: String = machine.trim().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect();
    if sound.is_empty() { "zhiju".into() } else { format!("zhiju-{sound}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_label_whatever_the_machine_is_called() {
        for (machine, expected) in
            [("gateway\n", "zhiju-gateway"), ("", "zhiju"), ("a.b c\u{7}", "zhiju-abc"), ("客厅", "zhiju")]
        {
            assert_eq!(name(machine), expected);
        }
        assert!(name(&"x".repeat(300)).len() <= 63);
    }
}
