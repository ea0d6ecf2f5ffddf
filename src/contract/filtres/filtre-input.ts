/** Requests about filters. */
import * as z from "zod/mini";
import { withoutControls } from "#catalogue/fold-text.ts";
import {
  ALERT_MODES,
  MAX_ARCHIVE_DAYS,
  MAX_FILTER_ALERTS,
  MAX_INFO_LENGTH,
  MAX_LIMIT_EUR,
  MAX_PURCHASES_STOP,
  MAX_SELECTED_IDS,
  MAX_SELLER_COUNTRIES,
  MAX_SELLER_RATING,
  MAX_SELLER_REVIEWS,
  MAX_SENTENCE_LENGTH,
  MAX_TAG_LENGTH,
  MAX_WORDS,
  MAX_WORDS_LENGTH,
  MIN_SELLER_RATING,
} from "../bounds.ts";
import { unixMs } from "../envelope.ts";
import type { FiltreFichier } from "./fichier.ts";
import { newFiltre } from "./filtre.ts";
import { reglesInput } from "./regles-input.ts";
import { arret } from "./regles.ts";

/**
 * A multiple choice in requests; without ids: all. Names beside ids are ignored; alone they are refused, since they would
 * empty the choice.
 */
const selectionInput = z
  .object({
    ids: z.exactOptional(
      z
        .array(z.int().check(z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER)))
        .check(z.maxLength(MAX_SELECTED_IDS)),
    ),
    names: z.optional(z.unknown()),
  })
  .check(
    z.refine(({ ids, names = [] }) => ids !== undefined || (Array.isArray(names) && names.length === 0), {
      path: ["ids"],
    }),
  );

const filtreId = z.string().check(z.minLength(1), z.maxLength(64));
/** Words, phrases, or alternatives between `|`, whose bounds `readCriteria` checks. */
const wordsInput = z
  .array(z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_WORDS_LENGTH)))
  .check(z.maxLength(MAX_WORDS));

/** Rejected above `limit`. */
const priceFloor = z.int().check(z.minimum(0), z.maximum(MAX_LIMIT_EUR));

const noteMin = z.nullable(z.number().check(z.minimum(MIN_SELLER_RATING), z.maximum(MAX_SELLER_RATING)));
const avisMin = z.nullable(z.int().check(z.minimum(1), z.maximum(MAX_SELLER_REVIEWS)));
/** `readCriteria` checks the codes. */
const pays = z.array(z.string().check(z.length(2))).check(z.maxLength(MAX_SELLER_COUNTRIES));
const inconnu = z.enum(["retenir", "laisser_passer"]);

const vendeurInput = z.object({
  note_min: z._default(noteMin, newFiltre.vendeur.note_min),
  avis_min: z._default(avisMin, newFiltre.vendeur.avis_min),
  pays: z._default(pays, newFiltre.vendeur.pays),
  inconnu: z._default(inconnu, newFiltre.vendeur.inconnu),
});
/** Absent members keep their value. */
const vendeurEditInput = z.object({
  note_min: z.exactOptional(noteMin),
  avis_min: z.exactOptional(avisMin),
  pays: z.exactOptional(pays),
  inconnu: z.exactOptional(inconnu),
});
const color = z.string().check(z.maxLength(20));
const limit = z.int().check(z.minimum(0), z.maximum(MAX_LIMIT_EUR));
const paiement = z.union([z.literal(1), z.literal(11)]);
const info = z.string().check(z.maxLength(MAX_INFO_LENGTH));
const maxAchats = z.nullable(z.int().check(z.minimum(1), z.maximum(MAX_PURCHASES_STOP)));
const bonPrix = z.nullable(z.literal([25, 10, 5]));

/** Body of `/filtres/add`: absent fields have the specification's defaults. */
export const filtreInput = z.object({
  tag: z.string().check(z.overwrite(withoutControls), z.minLength(1), z.maxLength(MAX_TAG_LENGTH)),
  active: z._default(z.boolean(), newFiltre.active),
  autobuy: z._default(z.boolean(), newFiltre.autobuy),
  private: z._default(z.boolean(), newFiltre.private),
  types: z._default(selectionInput, {}),
  brands: z._default(selectionInput, {}),
  sizes: z._default(selectionInput, {}),
  status: z._default(selectionInput, {}),
  color: z._default(color, newFiltre.color),
  limit: z._default(limit, newFiltre.limit),
  limit_min: z._default(priceFloor, newFiltre.limit_min),
  bon_prix: z._default(bonPrix, newFiltre.bon_prix),
  paiement: z._default(paiement, 1),
  info: z._default(info, newFiltre.info),
  mots: z._default(wordsInput, newFiltre.mots),
  exclure: z._default(wordsInput, newFiltre.exclure),
  max_achats: z._default(maxAchats, newFiltre.max_achats),
  simulation: z._default(z.boolean(), newFiltre.simulation),
  vendeur: z._default(vendeurInput, newFiltre.vendeur),
  ignorer_republications: z._default(z.boolean(), newFiltre.ignorer_republications),
  regles: z._default(reglesInput, {}),
  /** Absent: loud, six per hour; in an edit: unchanged. */
  alerte: z.optional(z.enum(ALERT_MODES)),
  alerte_max: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_FILTER_ALERTS))),
});
export type FiltreInput = z.infer<typeof filtreInput>;

/** Body of `/filtres/edit`: a whole filter. Fields that are absent all the same keep their value. */
export const filtreEditInput = z.extend(filtreInput, {
  _id: filtreId,
  active: z.exactOptional(z.boolean()),
  autobuy: z.exactOptional(z.boolean()),
  private: z.exactOptional(z.boolean()),
  types: z.exactOptional(selectionInput),
  brands: z.exactOptional(selectionInput),
  sizes: z.exactOptional(selectionInput),
  status: z.exactOptional(selectionInput),
  color: z.exactOptional(color),
  limit: z.exactOptional(limit),
  paiement: z.exactOptional(paiement),
  info: z.exactOptional(info),
  limit_min: z.exactOptional(priceFloor),
  mots: z.exactOptional(wordsInput),
  exclure: z.exactOptional(wordsInput),
  max_achats: z.exactOptional(maxAchats),
  simulation: z.exactOptional(z.boolean()),
  vendeur: z.exactOptional(vendeurEditInput),
  ignorer_republications: z.exactOptional(z.boolean()),
  bon_prix: z.exactOptional(bonPrix),
  /** As last seen by the page: autobuy that ended since, or if absent within a minute, is not switched on again. */
  arret: z.optional(z.nullable(arret)),
});
export type FiltreEditInput = z.infer<typeof filtreEditInput>;

/** The criteria: without the filter's name and how it runs, buys and announces. */
export const filtreCriteria = z.omit(filtreInput, {
  tag: true,
  active: true,
  autobuy: true,
  private: true,
  paiement: true,
  info: true,
  max_achats: true,
  simulation: true,
  regles: true,
  alerte: true,
  alerte_max: true,
});

/** Body of `/filtres/apercu`: the criteria of a draft that a listing alone decides. */
export const filtreApercuInput = z.omit(filtreCriteria, { vendeur: true, ignorer_republications: true });
export type FiltreApercuInput = z.infer<typeof filtreApercuInput>;

/** Body of `/filtres/rejeu`: a filter, and a period of days including today, or since a given time. */
export const rejeuInput = z.extend(filtreInput, {
  tag: z.optional(z.string().check(z.maxLength(MAX_TAG_LENGTH))),
  /** The group in which it buys. */
  groupe: z.optional(z.nullable(z.string().check(z.maxLength(64)))),
  jours: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_ARCHIVE_DAYS))),
  depuis: z.optional(unixMs),
});
export type RejeuInput = z.infer<typeof rejeuInput>;

/** Body of `/filtres/phrase`. */
export const phraseInput = z.object({
  texte: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_SENTENCE_LENGTH)),
});

const filtreIds = z.array(filtreId).check(z.minLength(1), z.maxLength(1_000));

export const filtreDeleteInput = z.object({ IDs: filtreIds });

/** A change of several filters; absent fields keep their value in each of them. */
const changement = z
  .object({
    active: z.optional(z.boolean()),
    /** Automatic buying can only be switched on filter by filter. */
    autobuy: z.optional(z.literal(false)),
    limit: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_LIMIT_EUR))),
    /** Added to each filter's limit, after `limit`. */
    limit_delta: z.optional(z.int().check(z.minimum(-MAX_LIMIT_EUR), z.maximum(MAX_LIMIT_EUR))),
    mots_ajout: z.optional(wordsInput),
    mots_retrait: z.optional(wordsInput),
    exclure_ajout: z.optional(wordsInput),
    exclure_retrait: z.optional(wordsInput),
  })
  .check(z.refine((change) => Object.values(change).some((value) => value !== undefined)));
export type Changement = z.infer<typeof changement>;

export const filtreLotInput = z.object({ IDs: filtreIds, changement });
export const filtreCopyInput = z.object({ _id: filtreId });

type NamedField = Exclude<keyof FiltreFichier, "private">;

/** The French names of a filter's fields: the form's labels, as used within a sentence. */
export const FIELD_NAMES: Readonly<Record<NamedField, string>> = {
  tag: "tag",
  types: "types",
  brands: "marques",
  sizes: "tailles",
  status: "états",
  color: "couleur",
  limit: "limite de prix",
  limit_min: "prix minimum",
  bon_prix: "sous le prix habituel",
  paiement: "moyen de paiement",
  info: "info supp",
  mots: "mots à contenir",
  exclure: "mots à exclure",
  max_achats: "arrêt après",
  simulation: "simulation",
  alerte: "mode des alertes",
  alerte_max: "alertes par heure",
  vendeur: "vendeur",
  ignorer_republications: "republications",
  regles: "règles d'achat",
};

/** Names of nested fields. */
export const MEMBER_NAMES: Readonly<
  Record<`vendeur.${keyof FiltreFichier["vendeur"]}` | `regles.${keyof FiltreFichier["regles"]}`, string>
> = {
  "vendeur.note_min": "note minimum",
  "vendeur.avis_min": "avis minimum",
  "vendeur.pays": "pays",
  "vendeur.inconnu": "si inconnu",
  "regles.budget_jour": "budget par jour",
  "regles.budget_total": "budget en tout",
  "regles.heures": "heures d'achat",
  "regles.jours": "jours d'achat",
  "regles.pause": "pause entre deux achats",
  "regles.vendeur_jour": "achats par vendeur et par jour",
  "regles.echecs": "arrêt après des échecs",
};
