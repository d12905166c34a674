//! What tools keep between calls: caches of a session on a device, and what is a caller's, such as its scenario.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// One value of each type, made when first asked for. It outlives a session whose device was lost.
#[derive(Debug, Default)]
pub struct Extensions {
    values: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl Extensions {
    /// The value of this type.
    pub fn get<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let value = values
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Arc::new(T::default()));
        // The key is the value's type, so the cast cannot fail; a fresh value is the harmless answer if it did.
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
