/** Chance as an argument, so that a run can be replayed from a seed. */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** A UUID version 7 of this moment: sorts by time of creation. */
  uuid(nowMs: number): string;
}
