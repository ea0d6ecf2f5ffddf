/** What all sockets of a person receive beside the stream: `purchaseData` and `filtreData`. */
import type { FiltrePayload, PurchasePayload } from "#contract/socket.ts";
import type { BuyingStop } from "#domain/buying-rules.ts";
import { createKeyedQueue } from "#domain/concurrency.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { PurchaseId, UserId } from "#domain/ids.ts";
import type { Purchase } from "#domain/purchase.ts";
import { presentAchat } from "#presenters/achat.ts";
import { purchaseMessage } from "#presenters/french-texts.ts";
import { presentArret } from "#presenters/regles.ts";
import { type FilterStore, type GroupStore, nameOfStop } from "#store/market-store.ts";

interface PurchaseDataDeps {
  readonly purchaseById: (userId: UserId, id: PurchaseId) => Promise<Purchase | null>;
  readonly isHere: (userId: UserId) => boolean;
  readonly send: (userId: UserId, payload: PurchasePayload) => Promise<void>;
  /** Closes the person's connections: a page that reconnects reads all its purchases. */
  readonly cut: (userId: UserId) => void;
  readonly marketUrl: string;
  readonly log: Log;
}

/**
 * `purchaseData`: every change of a purchase, in order. The function returns immediately: purchasing must not wait for
 * open pages.
 */
export function createPurchaseData(deps: PurchaseDataDeps): (userId: UserId, id: PurchaseId) => void {
  const inTurn = createKeyedQueue();

  async function sendChange(userId: UserId, id: PurchaseId): Promise<void> {
    try {
      const purchase = await deps.purchaseById(userId, id);
      if (purchase !== null) await deps.send(userId, purchasePayload(purchase, deps));
    } catch (error) {
      deps.log.error({ userId, purchaseId: id, ...describeError(error) }, "a purchase could not be sent");
      deps.cut(userId);
    }
  }

  return (userId, id) => {
    if (deps.isHere(userId)) void inTurn(userId, () => sendChange(userId, id));
  };
}

/** A purchase as a socket event; `success` is false for a failure and for 'Inconnu'. */
function purchasePayload(
  purchase: Purchase,
  { marketUrl }: Pick<PurchaseDataDeps, "marketUrl">,
): PurchasePayload {
  const text = purchaseMessage(purchase);
  const isFault = purchase.state === "failed" || purchase.state === "quarantine";
  const shown = presentAchat(purchase, marketUrl);
  return isFault
    ? { success: false, error: text, purchase: shown }
    : { success: true, message: text, purchase: shown };
}

interface FiltreDataDeps {
  readonly filters: Pick<FilterStore, "byId">;
  readonly groups: Pick<GroupStore, "list">;
  readonly isHere: (userId: UserId) => boolean;
  readonly send: (userId: UserId, payload: FiltrePayload) => Promise<void>;
  readonly log: Log;
}

/** `filtreData`: an end of automatic buying. Settles once the sockets have it; never throws. */
export async function sendStop(deps: FiltreDataDeps, stop: BuyingStop): Promise<void> {
  const { userId } = stop;
  if (!deps.isHere(userId)) return;
  // Without a name if it cannot be read.
  const name = await nameOfStop(stop, deps).catch(() => null);
  try {
    await deps.send(userId, presentArret(stop, name));
  } catch (error) {
    // Pages reload their filters every minute, including the reason of the end.
    deps.log.error({ userId, ...describeError(error) }, "an end of automatic buying could not be sent");
  }
}
