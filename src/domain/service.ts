/** A long-lived part of the product, started by name (SERVICES in the contract). */
export interface Service {
  /** Settles once the service is working. */
  run(): Promise<void>;
  /** Settles once it has stopped completely; idempotent. */
  stop(): Promise<void>;
}
