/** Injected randomness, so that a run can be replayed from a seed. */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** A UUID version 7 for this moment, sortable by creation time. */
  uuid(nowMs: number): string;
}
