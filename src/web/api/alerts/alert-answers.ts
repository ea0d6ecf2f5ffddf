/** Response parsers of the alert page, which does not load the panel's parsers (panel-answers.ts). */
import * as z from "zod/mini";
import { money, unixMs } from "#contract/envelope.ts";
import { produit } from "#contract/produit.ts";
import type { routes } from "#contract/routes.ts";
import {
  addReaders,
  addRoutes,
  done,
  message,
  onlyWebAddress,
  or,
  productMembers,
  readAs,
  type Reader,
} from "../answers.ts";

const achat = z.object({
  status: z.int(),
  purchase_confirmation: or(z.nullable(z.string()).check(onlyWebAddress), null),
  raison: or(z.nullable(z.string()), null),
  a_payer: or(z.optional(money), undefined),
});
export type AchatDuLien = z.infer<typeof achat>;

const lien = z.object({
  etat: z.enum(["valide", "utilise", "expire"]),
  expire_a: unixMs,
  prix: money,
  produit: or(z.nullable(z.extend(produit, productMembers)), null),
  achat: z.nullable(achat),
});
export type Lien = z.infer<typeof lien>;

const bought = z.object({
  ...done,
  purchase: achat,
});
export type Bought = z.infer<typeof bought>;

/** Repeated from the contract's route table, which would add every route of the panel to this page. */
addRoutes({
  alertLink: { method: "POST", path: "/alertes/lien" },
  buyFromAlert: { method: "POST", path: "/alertes/acheter" },
  pauseAlerts: { method: "POST", path: "/alertes/pause" },
  blockSellers: { method: "POST", path: "/vendeurs/bloquer" },
} as const satisfies Partial<typeof routes>);

export const alertReaders = {
  alertLink: (body) => readAs(z.object({ lien }), body),
  buyFromAlert: (body) => readAs(bought, body),
  blockSellers: (body) => readAs(message, body),
  pauseAlerts: (body) => readAs(message, body),
} satisfies Partial<Record<keyof typeof routes, Reader>>;

addReaders(alertReaders);
