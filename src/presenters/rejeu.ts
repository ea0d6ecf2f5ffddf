/** Presents the backtest and the market's prices. Pure. */
import type { MarketPrices, PriceRange } from "#domain/market/standing.ts";
import { brandById } from "#catalogue/brand-titles.ts";
import { categoryById } from "#catalogue/categories.ts";
import { conditionById } from "#catalogue/conditions.ts";
import { sizeById } from "#catalogue/sizes.ts";
import type {
  ExempleRejeu,
  FourchettePrix,
  Populaire,
  PrixDuMarche,
  Rejeu,
} from "#contract/filtres/rejeu.ts";
import { eur } from "#domain/money.ts";
import type { Replay, ReplayArticle, ReplayLoss } from "#domain/market/replay.ts";
import { marketLink } from "./market-links.ts";
import { presentPrix } from "./produit.ts";
import { signedEur } from "./recit.ts";

type LossCode = Rejeu["pertes"][number]["code"];

const LOSSES: Readonly<Record<ReplayLoss, readonly [code: LossCode, cause: string]>> = {
  limit_day: ["limite_jour", "Limite de dépenses du jour"],
  limit_month: ["limite_mois", "Limite de dépenses du mois"],
  limit_count: ["limite_achats", "Nombre d'achats du jour"],
  filter_full: ["max_achats", "Nombre d'achats du filtre"],
  rule: ["regle", "Règle du filtre"],
  price_unsure: ["prix_incertain", "Prix habituel encore mal connu"],
  too_good: ["trop_beau", "Trop beau pour être vrai"],
  relist: ["republication", "Article déjà acheté, republié"],
};

interface Coverage {
  readonly sinceMs: number | null;
  readonly dayCount: number;
  readonly exampleUntil: string | null;
}

export interface RejeuFacts {
  readonly replay: Replay;
  readonly coverage: Coverage;
  /** The person's automatic attempts of the last month: successful ones, and those that came too late. */
  readonly attempts: { readonly won: number; readonly lost: number };
  readonly durationMs: number;
  readonly marketUrl: string;
}

export function presentRejeu({ replay, coverage, attempts, durationMs, marketUrl }: RejeuFacts): Rejeu {
  const { purchases, days } = replay;
  const present = (article: ReplayArticle): ExempleRejeu => presentExemple(article, marketUrl);
  return {
    periode: { du: days[0]?.day ?? "", au: days.at(-1)?.day ?? "", jours: days.length },
    couverture: presentCouverture(coverage),
    examines: replay.examinedCount,
    articles: replay.articleCount,
    republications: replay.relistCount,
    incertains: replay.uncertainCount,
    achats:
      purchases === null
        ? null
        : {
            nombre: purchases.count,
            montant: eur(purchases.totalCents),
            economie: purchases.comparedCount === 0 ? null : signedEur(purchases.savedCents),
            compares: purchases.comparedCount,
            fourchette: rangeAgainstRivals(purchases.count, attempts),
            tentatives: attempts.won + attempts.lost,
          },
    pertes: replay.losses.map(({ cause, count }) => {
      const [code, text] = LOSSES[cause];
      return { code, cause: text, nombre: count };
    }),
    jours: days.map(({ day, articleCount, purchaseCount }) => ({
      jour: day,
      articles: articleCount,
      achats: purchaseCount,
    })),
    exemples: { moins_chers: replay.cheapest.map(present), plus_chers: replay.dearest.map(present) },
    conditions: replay.without.map(({ condition, count }) => ({ champ: condition, articles: count })),
    limite: {
      moins_chere: replay.cheapestCents === null ? null : eur(replay.cheapestCents),
      paliers: replay.higherLimits.map(({ limitEur, count }) => ({ limit: limitEur, articles: count })),
    },
    ids: [...replay.ids],
    achetes: [...replay.boughtIds],
    tronque: replay.isTruncated,
    duree_ms: Math.round(durationMs),
  };
}

function presentCouverture({ sinceMs, dayCount, exampleUntil }: Coverage): Rejeu["couverture"] {
  return {
    depuis: sinceMs,
    jours: dayCount,
    exemple: exampleUntil !== null,
    exemple_jusqu_au: exampleUntil,
  };
}

function presentExemple(article: ReplayArticle, marketUrl: string): ExempleRejeu {
  const brandTitle = brandById(article.brandId)?.title ?? "";
  const { totalPriceCents, standing } = article;
  return {
    id: article.listingId,
    titre: article.foldedTitle,
    marque: brandTitle,
    taille: sizeById(article.sizeId)?.title ?? "",
    etat: conditionById(article.conditionId)?.label ?? "",
    total_item_price: eur(totalPriceCents),
    prix: presentPrix({ listing: { totalPriceCents, brandTitle }, standing }),
    vu_a: article.seenAtMs,
    achat: article.isBought,
    url: marketLink(marketUrl, `/items/${article.listingId}`),
  };
}

/** Minimum number of attempts for an estimate. */
const LEAST_ATTEMPTS = 20;
/** Quantile of the standard normal distribution for a 90 % interval. */
const DEVIATIONS = 1.645;

/** The Wilson score interval of the share of successful attempts, applied to a number of purchases. */
function rangeAgainstRivals(
  count: number,
  { won, lost }: RejeuFacts["attempts"],
): NonNullable<Rejeu["achats"]>["fourchette"] {
  const n = won + lost;
  if (n < LEAST_ATTEMPTS) return null;
  const share = won / n;
  const square = DEVIATIONS ** 2;
  const centre = share + square / (2 * n);
  const spread = DEVIATIONS * Math.sqrt((share * (1 - share)) / n + square / (4 * n * n));
  const scale = 1 + square / n;
  return {
    min: Math.max(0, Math.floor((count * (centre - spread)) / scale)),
    max: Math.min(count, Math.ceil((count * (centre + spread)) / scale)),
  };
}

export function presentPrixDuMarche(
  pair: { readonly typeId: number; readonly brandId: number | null },
  { prices, coverage }: { readonly prices: MarketPrices; readonly coverage: Coverage },
): PrixDuMarche {
  const { typeId, brandId } = pair;
  const named = (
    ranges: MarketPrices["sizes"],
    nameOf: (id: number) => string | undefined,
  ): FourchettePrix[] =>
    ranges.map((range) => ({
      id: range.id,
      nom: nameOf(range.id) ?? String(range.id),
      ...presentRange(range),
    }));
  return {
    type: presentType(typeId),
    marque: brandId === null ? null : presentBrand(brandId),
    ...presentRange(prices.all),
    etats: named(prices.conditions, (id) => conditionById(id)?.label),
    tailles: named(prices.sizes, (id) => sizeById(id)?.title),
    ...(brandId === null ? { marques: named(prices.brands, (id) => brandById(id)?.title) } : {}),
    jours: prices.days.map(({ day, count, medianCents }) => ({
      jour: day,
      annonces: count,
      median: medianCents === null ? null : eur(medianCents),
    })),
    couverture: presentCouverture(coverage),
  };
}

function presentRange({ count, quartilesCents }: PriceRange) {
  const [low = null, median = null, high = null] = quartilesCents ?? [];
  const money = (cents: number | null) => (cents === null ? null : eur(cents));
  return { annonces: count, bas: money(low), median: money(median), haut: money(high) };
}

export function presentPopulaire(pair: {
  readonly typeId: number;
  readonly brandId: number;
  readonly count: number;
  readonly medianCents: number;
}): Populaire {
  return {
    type: presentType(pair.typeId),
    marque: presentBrand(pair.brandId),
    annonces: pair.count,
    median: eur(pair.medianCents),
  };
}

function presentType(id: number): Populaire["type"] {
  return { id, nom: categoryById(id)?.label ?? String(id) };
}

function presentBrand(id: number): Populaire["marque"] {
  return { id, nom: brandById(id)?.title ?? String(id) };
}
