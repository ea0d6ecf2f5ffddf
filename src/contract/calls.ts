import { z } from "zod";
import { achat, achatCancelInput, achatClickInput } from "./achat.ts";
import {
  filtre,
  filtreCopyInput,
  filtreDeleteInput,
  filtreEditInput,
  filtreInput,
  filtrePublic,
} from "./filtre.ts";
import { parametres, parametresInput } from "./parametres.ts";
import { produitDuFlux } from "./produit.ts";
import { utilisateur } from "./utilisateur.ts";

const message = z.object({ message: z.string() });
const filtreAnswer = z.object({ success: z.literal(true), message: z.string(), filtre });

/** Every call of the product's own pages: method, path, what is sent, what is answered (specification §7). */
export const calls = {
  user: { method: "GET", path: "/auth/user", answer: z.object({ user: utilisateur.nullable() }) },
  signOut: { method: "GET", path: "/auth/out", answer: message },
  keepAlive: { method: "POST", path: "/auth/keepalive", answer: z.object({ success: z.literal(true) }) },
  filters: {
    method: "GET",
    path: "/filtres/get",
    answer: z.object({ success: z.literal(true), filtres: z.array(filtre) }),
  },
  addFilter: { method: "POST", path: "/filtres/add", body: filtreInput, answer: filtreAnswer },
  editFilter: { method: "POST", path: "/filtres/edit", body: filtreEditInput, answer: filtreAnswer },
  deleteFilters: {
    method: "POST",
    path: "/filtres/delete",
    body: filtreDeleteInput,
    answer: z.object({ success: z.literal(true), message: z.string(), deleted: z.number().int() }),
  },
  publicFilters: {
    method: "GET",
    path: "/filtres/publics",
    query: z.object({ q: z.string().max(200).optional() }),
    answer: z.object({ success: z.literal(true), filtres: z.array(filtrePublic) }),
  },
  copyFilter: { method: "POST", path: "/filtres/copy", body: filtreCopyInput, answer: filtreAnswer },
  settings: { method: "GET", path: "/vinted/get", answer: z.object({ vinted: parametres }) },
  token: { method: "GET", path: "/vinted/token", answer: z.object({ token: z.string() }) },
  editSettings: { method: "POST", path: "/vinted/edit", body: parametresInput, answer: message },
  purchases: { method: "GET", path: "/vinted/purchases", answer: z.object({ purch: z.array(achat) }) },
  cancelPurchase: {
    method: "POST",
    path: "/vinted/cancel",
    body: achatCancelInput,
    answer: z.object({ purch: z.array(achat) }),
  },
  clickPurchase: {
    method: "POST",
    path: "/purchase/click",
    body: achatClickInput,
    answer: z.object({ message: z.string(), purchase: achat }),
  },
  hidePurchases: { method: "GET", path: "/purchase/delete", answer: message },
  recentArticles: {
    method: "GET",
    path: "/articles/recent",
    query: z.object({ limit: z.coerce.number().int().min(1).max(200).default(50) }),
    answer: z.object({ items: z.array(produitDuFlux) }),
  },
} as const;

export type CallName = keyof typeof calls;
export type Answer<Name extends CallName> = z.infer<(typeof calls)[Name]["answer"]>;
export type Body<Name extends CallName> = (typeof calls)[Name] extends {
  body: infer Schema extends z.ZodType;
}
  ? z.input<Schema>
  : never;
