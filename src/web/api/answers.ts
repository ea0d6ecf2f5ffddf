/**
 * What the server sends is read here with the contract's schemas, and nowhere else. A list is read item by item: one
 * that cannot be read is left out and counted. A member that the screens can do without falls back on its own; what
 * money depends on never does.
 */
import { catch as orElse } from "zod/mini";
import * as z from "zod/mini";
import type { $ZodError, $ZodType, SomeType } from "zod/v4/core";
import { firstRoutes } from "#contract/first-routes.ts";
import type { CallName } from "#contract/calls.ts";
import { errorAnswer, money } from "#contract/envelope.ts";
import {
  produit,
  produitDuFlux,
  produitVu,
  republication,
  vendeur,
  vendeurDuProduit,
} from "#contract/produit.ts";
import { utilisateur, type Utilisateur } from "#contract/compte.ts";
import { logFailure } from "./log.ts";

/** An answer that is not what the contract says, and of which nothing can be shown. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

export const UNKNOWN_PRICE = { amount: "", currency_code: "EUR" };

/** A member that the page can do without: what takes the place of a value that is not as agreed. */
export function or<Schema extends SomeType>(schema: Schema, fallback: z.output<Schema>) {
  return orElse(schema, ({ issues: [issue] }) => {
    logFailure("unreadable value", { code: issue?.code ?? "" });
    return fallback;
  });
}

/** A link may lead to the web only: any other scheme could run a script or open a program. */
const isWebAddress = (address: string): boolean => /^https?:\/\//iu.test(address);
export const onlyWebAddress = z.refine<string | null>((address) => address === null || isWebAddress(address));
const onlyWebPhoto = z.refine<{ url: string } | null>((photo) => photo === null || isWebAddress(photo.url));

const photo = or(produit.shape.photo.check(onlyWebPhoto), null);
const price = or(money, UNKNOWN_PRICE);
export const text = (fallback: string) => or(z.string(), fallback);

/** What became known of a seller; each is left out where it cannot be read. */
export const sellerFacts = {
  note: or(vendeurDuProduit.shape.note, undefined),
  avis: or(vendeurDuProduit.shape.avis, undefined),
  pays: or(vendeurDuProduit.shape.pays, undefined),
};

const seller = z.extend(vendeurDuProduit, {
  id: or(vendeur.shape.id, null),
  login: text("Vendeur inconnu"),
  photo: or(vendeur.shape.photo.check(onlyWebPhoto), null),
  ...sellerFacts,
});
export const relist = or(z.optional(republication), undefined);
export const unknownSeller: z.infer<typeof vendeur> = {
  id: null,
  login: "Vendeur inconnu",
  photo: null,
};

export const productMembers = {
  title: text("Article sans titre"),
  photo,
  brand_title: text(""),
  total_item_price: price,
  size_title: text(""),
  // A listing without a condition reads 'N/A', whether the server says "" or null.
  status: orElse(z.string(), ""),
  path: text(""),
  url: or(produit.shape.url.check(onlyWebAddress), ""),
  user: or(seller, unknownSeller),
  republication: relist,
};
export const seenListing = z.extend(produitVu, { ...productMembers, vu_a: or(produitVu.shape.vu_a, 0) });
export const listing = z.extend(seenListing, {
  filtres: or(produitDuFlux.shape.filtres, []),
  prix: or(produitDuFlux.shape.prix, null),
});
const person = z.extend(utilisateur, {
  picture: or(utilisateur.shape.picture, null),
  name: text("votre compte"),
  email: text(""),
  plan: or(z.nullable(utilisateur.shape.plan), null),
  fin: or(utilisateur.shape.fin, null),
  waitlist: or(utilisateur.shape.waitlist, undefined),
});

/** Null without a session, or if the level cannot be read: the panel then stays closed. */
function readUser(value: unknown): Utilisateur | null {
  if (value === null) return null;
  const read = z.safeParse(person, value);
  if (!read.success) {
    logFailure("unreadable user", whereIn(read.error));
    return null;
  }
  const { level } = read.data;
  // A plan of a name that this page does not know has what its level has.
  const planOfLevel = level >= 2 ? "thunder" : level === 1 ? "acquire" : "none";
  return { ...read.data, plan: read.data.plan ?? planOfLevel };
}

/** The lists of which single items may be left out. */
export type ListName =
  | "filters"
  | "purchases"
  | "articles"
  | "activity"
  | "market"
  | "readyFilters"
  | "missed"
  | "sessions"
  | "alerts"
  | "sellers"
  | "groups"
  | "publicFilters"
  | "popularPairs"
  /** What the socket sends, each as a list of one. */
  | "events";

const leftOutCounts = new Map<ListName, number>();
const leftOutListeners = new Set<() => void>();

/** How many items of each list could not be read the last time. */
export const leftOut = {
  of: (list: ListName): number => leftOutCounts.get(list) ?? 0,
  subscribe: (listener: () => void): (() => void) => {
    leftOutListeners.add(listener);
    return () => leftOutListeners.delete(listener);
  },
};

export function readList<Item>(name: ListName, value: unknown, read: (item: unknown) => Item): Item[] {
  if (!Array.isArray(value)) throw new UnreadableAnswer(`${name}: no list`);
  const items: Item[] = [];
  for (const each of value) {
    try {
      items.push(read(each));
    } catch (error) {
      if (!(error instanceof UnreadableAnswer)) throw error;
      logFailure(`unreadable item of ${name}`, { where: error.message });
    }
  }
  const count = value.length - items.length;
  if (leftOut.of(name) !== count) {
    leftOutCounts.set(name, count);
    for (const listener of leftOutListeners) listener();
  }
  return items;
}

export const as =
  <Schema extends $ZodType>(schema: Schema) =>
  (value: unknown): z.output<Schema> =>
    readAs(schema, value);

export function readAs<Schema extends $ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const read = z.safeParse(schema, value);
  if (read.success) return read.data;
  const { path, code } = whereIn(read.error);
  throw new UnreadableAnswer(`${path}: ${code}`);
}

export function whereIn(error: $ZodError): { readonly path: string; readonly code: string } {
  const [issue] = error.issues;
  return { path: issue?.path.join(".") ?? "", code: issue?.code ?? "" };
}

/** A command that was obeyed is not reported as failed because of the words that came with it. */
export const done = { message: text("C'est fait.") };
export const message = z.object(done);

export type Body = Readonly<Record<string, unknown>>;

export function membersOf(value: unknown): Body {
  if (typeof value !== "object" || value === null) throw new UnreadableAnswer("no object");
  return { ...value };
}

const { code, champ, prix, achat } = errorAnswer.shape;
const refusal = z.object({
  error: text(""),
  code: or(code, undefined),
  champ: or(champ, undefined),
  prix: or(prix, undefined),
  achat: or(achat, undefined),
});

/** Why a call was refused; the text is "" if the response is not the server's, but a proxy's for example. */
export function readRefusal(body: unknown): z.infer<typeof refusal> {
  const read = z.safeParse(refusal, body);
  return read.success ? read.data : { error: "" };
}

/** How the answer of a call is read; throws an UnreadableAnswer. */
export type Reader = (body: Body) => object;

/** What every page reads. The panel adds the rest (panel-answers.ts), whose schemas the public pages do not carry. */
export const firstReaders = {
  user: ({ user }) => ({ user: readUser(user) }),
  signOut: (body) => readAs(message, body),
  recentArticles: ({ items }) => ({ items: readList("articles", items, as(listing)) }),
} satisfies Partial<Record<CallName, Reader>>;

const readers = new Map<string, Reader>(Object.entries(firstReaders));

export function addReaders(more: Readonly<Record<string, Reader>>): void {
  for (const [name, read] of Object.entries(more)) readers.set(name, read);
}

interface Route {
  readonly method: string;
  readonly path: string;
}

const routes = new Map<string, Route>(Object.entries(firstRoutes));

/** Adds the routes that a page's own code brings. */
export function addRoutes(more: Readonly<Record<string, Route>>): void {
  for (const [name, route] of Object.entries(more)) routes.set(name, route);
}

export function routeOf(name: CallName): Route {
  const route = routes.get(name);
  if (route === undefined) throw new Error(`${name} has no address on this page`);
  return route;
}

/** The answer of a call as the page may use it; throws an UnreadableAnswer where nothing of it can be. */
export function readAnswer(name: CallName, body: unknown): object {
  const read = readers.get(name);
  if (read === undefined) throw new Error(`nothing reads the answer of ${name}`);
  return read(membersOf(body));
}
