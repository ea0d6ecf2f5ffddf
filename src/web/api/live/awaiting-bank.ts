import type { Achat } from "#contract/achat.ts";
import { ACHAT_EN_ATTENTE } from "#contract/bounds.ts";

/** Also without a link, which is shown only of known hosts: the bank asks in its own application, too. */
export function isAwaitingBank({ status, purchase_confirmation, a_payer }: Achat): boolean {
  // Only a purchase that waits for the bank has an amount to pay.
  return status === ACHAT_EN_ATTENTE && (purchase_confirmation !== null || a_payer !== undefined);
}
