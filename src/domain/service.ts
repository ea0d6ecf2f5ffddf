/** A long-lived part of the product, started and stopped by name (the contract's SERVICES). */
export interface Service {
  /** Settles once the service does its work. */
  run(): Promise<void>;
  /** Settles once nothing of it is under way any more; safe to call twice. */
  stop(): Promise<void>;
}
