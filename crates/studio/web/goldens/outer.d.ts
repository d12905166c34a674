// For the type checker only: what the studio's page hands to its goldens.

declare const Studio: any;
