import type { UserId } from "#domain/ids.ts";

export interface AuditEntry {
  readonly atMs: number;
  readonly kind: string;
  readonly userId: UserId | null;
  /** Plain facts, never a secret or an address. */
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
}
