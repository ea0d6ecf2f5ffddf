/**
 * Which processes share the books, and which of them may do what only one may do. All moments are the database's.
 * A node that was counted out is never counted in again: it must end, and come back under another id.
 */
export interface NodeStore {
  /** Makes a node known that lives for so long unless it says more. */
  join(id: string, livesForMs: number): Promise<void>;
  /** The node lives for so long from now, also when it is late. False: it was counted out before it said so. */
  renew(id: string, livesForMs: number): Promise<boolean>;
  /** An orderly end: what it held is free at once. */
  leave(id: string): Promise<void>;
  /**
   * Counts out whoever has been silent for `graceMs` beyond the end of its life, and frees what no living node
   * holds: purchases under way become due, claims on token refreshes and roles end. The answer names the counted out.
   * Purchases for which nothing that pays can have been sent become due as soon as their node's life is over.
   */
  countOut(graceMs: number): Promise<readonly string[]>;
  /** Other nodes that live now, each with the end of its life. */
  others(id: string): Promise<ReadonlyMap<string, number>>;
  /** The role for so long: for one node at a time. False while another has it, or the node itself is counted out. */
  claimRole(role: string, id: string, forMs: number): Promise<boolean>;
  releaseRole(role: string, id: string): Promise<void>;
}
