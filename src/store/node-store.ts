/**
 * Which processes share the books, and which of them may do what only one may do. All moments are the database's.
 * A node that was counted out is never counted in again: it must end, and come back under another id.
 */
export interface NodeStore {
  /** Makes a node known that lives for so long unless it says more. */
  join(id: string, livesForMs: number): Promise<void>;
  /** The node lives for so long from now, also when it is late. False: it was counted out before it said so. */
  renew(id: string, livesForMs: number): Promise<boolean>;
  /** A clean shutdown: releases all leases of the node immediately. */
  leave(id: string): Promise<void>;
  /**
   * Declares dead every node that is silent for `graceMs` beyond the end of its lease, and releases what no living node
   * holds: its purchases become due, its claims on token refreshes and its roles end. Purchases for which no paying
   * request can have been sent become due as soon as the lease ends.
   * @returns the ids of the nodes that were declared dead
   */
  countOut(graceMs: number): Promise<readonly string[]>;
  /** Other nodes that live now, each with the end of its life. */
  others(id: string): Promise<ReadonlyMap<string, number>>;
  /** The role for so long: for one node at a time. False while another has it, or the node itself is counted out. */
  claimRole(role: string, id: string, forMs: number): Promise<boolean>;
  releaseRole(role: string, id: string): Promise<void>;
}
