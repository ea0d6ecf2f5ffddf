/** `purchaseData`: every change of a person's purchase, told on all of their sockets in the order of the changes. */
import type { PurchasePayload } from "#contract/socket.ts";
import type { PurchaseId, UserId } from "#domain/ids.ts";
import type { Log } from "#domain/log.ts";
import type { Purchase } from "#domain/purchase.ts";
import { presentAchat } from "#presenters/achat.ts";
import { purchaseMessage } from "#presenters/purchase-texts.ts";
import { failureFields } from "./failure-fields.ts";

export interface PurchaseDataDeps {
  readonly purchaseById: (userId: UserId, id: PurchaseId) => Promise<Purchase | null>;
  readonly isHere: (userId: UserId) => boolean;
  readonly tell: (userId: UserId, payload: PurchasePayload) => Promise<void>;
  /** Ends the person's connections: a page that comes back reads all of its purchases. */
  readonly cut: (userId: UserId) => void;
  readonly marketUrl: string;
  /** Further https hosts on which a page of the bank may lie, as for the calls. */
  readonly confirmationHosts: readonly string[];
  readonly log: Log;
}

export interface PurchaseData {
  /** Returns at once: whoever buys must not wait for whoever watches. */
  changed(userId: UserId, id: PurchaseId): void;
}

export function createPurchaseData(deps: PurchaseDataDeps): PurchaseData {
  /** The end of what is being told to each person; gone once that is done. */
  const endOf = new Map<UserId, Promise<void>>();

  async function tellChange(userId: UserId, id: PurchaseId): Promise<void> {
    try {
      const purchase = await deps.purchaseById(userId, id);
      if (purchase !== null) await deps.tell(userId, purchasePayload(purchase, deps));
    } catch (error) {
      deps.log.error({ userId, purchaseId: id, ...failureFields(error) }, "a purchase could not be told");
      deps.cut(userId);
    }
  }

  return {
    changed(userId, id) {
      if (!deps.isHere(userId)) return;
      const told = (endOf.get(userId) ?? Promise.resolve()).then(() => tellChange(userId, id));
      endOf.set(userId, told);
      void told.then(() => {
        if (endOf.get(userId) === told) endOf.delete(userId);
      });
    },
  };
}

/** A purchase as the socket tells it; a failure and what cannot be decided are no success. */
function purchasePayload(
  purchase: Purchase,
  { marketUrl, confirmationHosts }: Pick<PurchaseDataDeps, "marketUrl" | "confirmationHosts">,
): PurchasePayload {
  const text = purchaseMessage(purchase);
  const isFault = purchase.state === "failed" || purchase.state === "quarantine";
  const shown = presentAchat(purchase, marketUrl, confirmationHosts);
  return isFault
    ? { success: false, error: text, purchase: shown }
    : { success: true, message: text, purchase: shown };
}
