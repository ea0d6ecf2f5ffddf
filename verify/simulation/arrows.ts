import type { PurchaseState } from "#domain/purchase.ts";

/**
 * The arrows of docs/purchase.md, written down once more and apart from the engine: what decides a transition must
 * not also be what judges it.
 */
const ARROWS: Readonly<Record<PurchaseState, readonly PurchaseState[]>> = {
  intent: ["submitting", "failed"],
  submitting: ["intent", "awaiting", "confirmed", "failed", "unknown"],
  unknown: ["confirmed", "awaiting", "failed", "quarantine", "cancelled"],
  awaiting: ["confirmed", "failed"],
  confirmed: ["cancelling", "cancelled"],
  cancelling: ["cancelled", "confirmed", "cancel_unknown"],
  cancel_unknown: ["cancelled", "confirmed"],
  quarantine: ["confirmed", "awaiting", "failed", "cancelled"],
  cancelled: [],
  failed: [],
};

export function isArrow(from: PurchaseState, to: PurchaseState): boolean {
  return from === to ? ARROWS[from].length > 0 : ARROWS[from].includes(to);
}
