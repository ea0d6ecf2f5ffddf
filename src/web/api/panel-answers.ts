/** Parsers of the panel's responses and socket payloads; answers.ts has those of every page. */
import * as z from "zod/mini";
import { achat, bilan, manque, recit } from "#contract/achat.ts";
import { alertes, appareil, parametres, sante, type Parametres } from "#contract/parametres.ts";
import type { CallName } from "#contract/calls.ts";
import { money, unixMs } from "#contract/envelope.ts";
import { filtreImporte } from "#contract/filtres/fichier.ts";
import {
  apercu,
  type Filtre,
  filtre,
  filtreActivite,
  filtrePret,
  filtrePublic,
  newFiltre,
  selection,
} from "#contract/filtres/filtre.ts";
import { phrase } from "#contract/filtres/phrase.ts";
import { produit } from "#contract/produit.ts";
import { groupe } from "#contract/filtres/regles.ts";
import { routes } from "#contract/routes.ts";
import { vendeurBloque, type VendeurBloque } from "#contract/vendeur.ts";
import type { alertReaders } from "./alerts/alert-answers.ts";
import {
  addReaders,
  addRoutes,
  as,
  done,
  listing,
  membersOf,
  message,
  onlyWebAddress,
  or,
  productMembers,
  readAs,
  readList,
  relist,
  seenListing,
  sellerFacts,
  UNKNOWN_PRICE,
  unknownSeller,
  whereIn,
  type firstReaders,
  type Reader,
} from "./answers.ts";
import { logFailure } from "./log.ts";

/** A payment must be shown even if the purchase's listing has no id. */
const boughtProduct = z.extend(produit, { ...productMembers, id: or(produit.shape.id, 0) });
const unknownProduct: z.infer<typeof produit> = {
  id: 0,
  title: "Article inconnu",
  photo: null,
  brand_title: "",
  total_item_price: UNKNOWN_PRICE,
  size_title: "",
  status: "",
  path: "",
  url: "",
  user: unknownSeller,
};

const UNKNOWN_STATUS = 3;
const purchase = z.extend(achat, {
  id_transaction: or(achat.shape.id_transaction, null),
  status: or(achat.shape.status, UNKNOWN_STATUS),
  purchase_date: or(achat.shape.purchase_date, 0),
  purchase_confirmation: or(achat.shape.purchase_confirmation.check(onlyWebAddress), null),
  product: or(boughtProduct, unknownProduct),
  annulation: or(achat.shape.annulation, undefined),
  simulation: or(achat.shape.simulation, undefined),
  source: or(achat.shape.source, undefined),
  filtre: or(achat.shape.filtre, null),
  total: or(achat.shape.total, null),
  raison: or(achat.shape.raison, null),
  code: or(achat.shape.code, undefined),
  offre: or(achat.shape.offre, undefined),
  a_payer: or(achat.shape.a_payer, undefined),
  echeance: or(achat.shape.echeance, undefined),
});

const purchasePage = ({ purch }: Parameters<Reader>[0]) => ({
  purch: readList("purchases", purch, as(purchase)),
  /** The number sent, with the invalid ones: it tells whether the page is full. */
  count: Array.isArray(purch) ? purch.length : 0,
});

const missed = z.extend(manque, {
  product: or(boughtProduct, unknownProduct),
  code: or(manque.shape.code, null),
  a_confirmer: or(manque.shape.a_confirmer, false),
});

const { depense, pertes } = bilan.shape;
const week = as(depense.shape.semaines.def.element);
const loss = as(pertes.def.element);

function readSummary(sent: Parameters<Reader>[0]) {
  const spent = membersOf(sent["depense"]);
  const rest = readAs(bilan, { ...sent, depense: { ...spent, semaines: [] }, pertes: [] });
  return {
    ...rest,
    depense: { ...rest.depense, semaines: readList("weeks", spent["semaines"], week) },
    pertes: readList("losses", sent["pertes"], loss),
  };
}

/** The names only label the ids, so they may be missing. */
const namedSelection = z.extend(selection, { names: or(selection.shape.names, []) });
const selections = {
  types: namedSelection,
  brands: namedSelection,
  sizes: namedSelection,
  status: namedSelection,
};
const wholeFilter = z.extend(filtre, selections);
/** Replaces the invalid fields of a filter; a limit of 0 matches nothing. */
const unreadableFields: Filtre = {
  ...newFiltre,
  tag: "Filtre sans nom",
  private: true,
  limit: 0,
  paiement: 0,
};

/** `isPartial`: some fields were invalid. Filters are saved whole, so a partial one must not be saved. */
export type ReadFilter = z.infer<typeof filtre> & { readonly isPartial?: true };

export type ReadSettings = Omit<Parametres, "limites" | "mandat"> & {
  readonly limites: Parametres["limites"] | null;
  readonly mandat: Parametres["mandat"] | null;
  /** Some of the account was invalid: the form, which would save it back, must not open. */
  readonly isPartial?: true;
};

const { token, paiement, adresse, relais, etat, adresse_complete, limites, mandat } = parametres.shape;
const account = z.object({ token, paiement, adresse, relais });
const partOfSettings = z.object({
  token: or(token, ""),
  paiement: or(paiement, 1),
  adresse: or(adresse, { rue: "", ville: "", code_postal: 0, pays: "France" }),
  relais: or(relais, []),
  etat: or(etat, "connecte"),
  adresse_complete: or(adresse_complete, true),
  limites: or(z.nullable(limites), null),
  mandat: or(z.nullable(mandat), null),
});

const wholeState = z.extend(sante, { adresse_complete: or(sante.shape.adresse_complete, true) });

function readFilter(value: unknown): ReadFilter {
  const whole = z.safeParse(wholeFilter, value);
  if (whole.success) return whole.data;
  logFailure("filter read in part", whereIn(whole.error));
  const members = membersOf(value);
  const fields = Object.entries(wholeFilter.shape);
  const readable = fields.filter(([name, field]) => z.safeParse(field, members[name]).success);
  const read = Object.fromEntries(readable.map(([name]) => [name, members[name]]));
  // The id has no fallback: a filter without one is left out.
  return { ...readAs(wholeFilter, { ...unreadableFields, ...read, _id: members["_id"] }), isPartial: true };
}

function readSettings(value: unknown): ReadSettings {
  const settings = readAs(partOfSettings, value);
  const whole = z.safeParse(account, value);
  if (whole.success) return settings;
  logFailure("settings read in part", whereIn(whole.error));
  return { ...settings, isPartial: true };
}

function readSellers(vendeurs: unknown): readonly VendeurBloque[] {
  return readList("sellers", vendeurs, as(z.extend(vendeurBloque, { depuis: or(unixMs, 0) })));
}

const importedFilters = z.object({
  message: z._default(z.string(), ""),
  apercu: z._default(z.array(filtreImporte), []),
});

/** Only the alert page makes these calls. */
type AlertPageCall = "alertLink" | "buyFromAlert";

/** For answers of which only the message is used. */
const messageOnly = as(message);
/** For answers that the screens parse which show them, so that only their chunks carry the schemas. */
const unparsed = (body: Parameters<Reader>[0]) => ({ body });

const panelReaders = {
  keepAlive: () => ({}),
  sessions: ({ sessions }) => ({ sessions: readList("sessions", sessions, as(appareil)) }),
  endSessions: messageOnly,
  deleteAccount: messageOnly,
  state: (body) => readAs(z.object({ etat: wholeState }), body),
  filters: ({ filtres }) => ({ filtres: readList("filters", filtres, readFilter) }),
  filterActivity: ({ activites, partiel }) => ({
    activites: readList("activity", activites, as(filtreActivite)),
    partiel: partiel === true,
  }),
  addFilter: (body) => ({ ...readAs(message, body), filtre: readFilter(body["filtre"]) }),
  editFilter: (body) => ({ ...readAs(message, body), filtre: readFilter(body["filtre"]) }),
  deleteFilters: messageOnly,
  changeFilters: messageOnly,
  publicFilters: ({ filtres }) => ({
    filtres: readList("publicFilters", filtres, as(z.extend(filtrePublic, selections))),
  }),
  market: ({ items, filtres }) => ({
    items: readList("market", items, as(seenListing)),
    filtres: readList("readyFilters", filtres, as(z.extend(filtrePret, selections))),
  }),
  replayFilter: unparsed,
  marketPrices: unparsed,
  popularPairs: unparsed,
  alertCentre: unparsed,
  alertJournal: unparsed,
  previewFilter: (body) => readAs(z.object({ apercu }), body),
  // Loose: fields that this version does not know stay in the saved file.
  exportFilters: (body) => readAs(z.object({ fichier: z.looseObject({}) }), body),
  // Not item by item: a filter left out of the preview would be imported unseen.
  importFilters: (body) => readAs(importedFilters, body),
  readSentence: (body) => readAs(phrase, body),
  copyFilter: (body) => ({ ...readAs(message, body), filtre: readFilter(body["filtre"]) }),
  settings: ({ vinted }) => ({ vinted: readSettings(vinted) }),
  token: (body) => readAs(z.object({ token: z.string() }), body),
  editSettings: messageOnly,
  blockedSellers: ({ vendeurs }) => ({ vendeurs: readSellers(vendeurs) }),
  blockSellers: (body) => ({ ...readAs(message, body), vendeurs: readSellers(body["vendeurs"]) }),
  unblockSeller: (body) => ({ ...readAs(message, body), vendeurs: readSellers(body["vendeurs"]) }),
  groups: ({ groupes }) => ({ groupes: readList("groups", groupes, as(groupe)) }),
  addGroup: messageOnly,
  editGroup: messageOnly,
  deleteGroup: messageOnly,
  alerts: (body) => readAs(z.object({ alertes }), body),
  editAlerts: messageOnly,
  testAlert: messageOnly,
  editAlertCentre: messageOnly,
  addAlertDevice: messageOnly,
  pairTelegram: (body) => readAs(z.object({ code: z.string(), lien: z.string(), expire_a: unixMs }), body),
  removeAlertChannel: messageOnly,
  testAlertChannel: messageOnly,
  pauseAlerts: messageOnly,
  purchases: purchasePage,
  cancelPurchase: purchasePage,
  clickPurchase: (body) => readAs(z.object({ ...done, purchase }), body),
  hidePurchases: messageOnly,
  purchaseStory: (body) => readAs(z.object({ recit }), body),
  missedPurchases: ({ manques }) => ({
    manques: readList("missed", manques, as(missed)),
  }),
  purchaseSummary: (body) => ({ bilan: readSummary(membersOf(body["bilan"])) }),
} satisfies Record<Exclude<CallName, keyof typeof firstReaders | AlertPageCall>, Reader>;

addReaders(panelReaders);
addRoutes(routes);

type Readers = typeof firstReaders & typeof panelReaders & Pick<typeof alertReaders, AlertPageCall>;
export type ReadAnswer<Name extends CallName> = ReturnType<Readers[Name]>;

const flux = z.object({
  curseur: or(z.optional(z.string()), undefined),
  pause: or(z.optional(z.string()), undefined),
  reprise: or(z.optional(unixMs), undefined),
});

/** Parses a socket payload; an invalid one is logged, counted, and returned as undefined. */
function event<Event>(read: (payload: unknown) => Event) {
  return (payload: unknown): Event | undefined => readList("events", [payload], read)[0];
}

export const readFlux = event((payload) => {
  const { items } = membersOf(payload);
  return { ...readAs(flux, payload), items: readList("articles", items, as(listing)) };
});

/** What becomes known of a listing after it arrived. */
export const readArticle = event(
  as(
    z.object({
      id: produit.shape.id,
      filtres: or(z.optional(z.array(z.string())), undefined),
      republication: relist,
      vendu: listing.shape.vendu,
      user: or(z.optional(z.object(sellerFacts)), undefined),
    }),
  ),
);

/** A risen price. */
export const readPrice = event(as(z.object({ id: produit.shape.id, total_item_price: money })));

/** The product ended automatic buying of filters. */
export const readFilterNews = event(
  as(z.object({ message: z.string(), filtres: or(z.array(z.string()), []), raison: or(z.string(), "") })),
);

/** A listing so cheap that its purchase needs the person's confirmation. */
export const readToConfirm = event(as(z.object({ manque: missed })));

export const readPurchaseNews = event(
  as(
    z.object({
      success: or(z.boolean(), false),
      message: or(z.optional(z.string()), undefined),
      error: or(z.optional(z.string()), undefined),
      purchase: or(z.optional(purchase), undefined),
    }),
  ),
);
