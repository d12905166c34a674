//! Typed storage for state that tools keep between calls: caches of a device's session, or a caller's
//! scenario.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Values by type, created on first access. Outlives sessions whose device was lost.
#[derive(Debug, Default)]
pub struct Extensions {
    values: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl Extensions {
    /// Returns the value of a type, creating its default on first access. All callers share the same value,
    /// which lives as long as this map.
    pub fn get<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let value = values
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Arc::new(T::default()));
        // The key is the value's type, so the cast cannot fail; if it did, a fresh value would be harmless.
        Arc::clone(value).downcast().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn a_value_is_the_same_at_every_asking() {
        let memory = Extensions::default();
        memory.get::<AtomicU32>().store(7, Ordering::Relaxed);
        assert_eq!(memory.get::<AtomicU32>().load(Ordering::Relaxed), 7);
        assert_eq!(*memory.get::<String>(), "");
    }
}
