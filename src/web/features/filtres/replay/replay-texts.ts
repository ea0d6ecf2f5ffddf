/** The texts of a backtest. Pure. */
import { colourByName } from "#catalogue/colours.ts";
import type { Argent } from "#contract/envelope.ts";
import type { Filtre, Selection } from "#contract/filtres/filtre.ts";
import type { Rejeu } from "#contract/filtres/rejeu.ts";
import type { VendeurBloque } from "#contract/vendeur.ts";
import { formatCount, formatEuros, formatMoney } from "../../../ui/format.ts";
import { coverageText, exampleText } from "../../../ui/charts/day-text.ts";
import { formatCounted, formatQuoted, plural } from "../../../ui/format-panel.ts";
import { asksForSeller, UNTESTED_SELLER_TEXT } from "../../../ui/seller-conditions.ts";

/** "Ces 30 derniers jours : 41 articles, dont 14 auraient été achetés (312 €, 128 € sous le prix habituel)". */
export function headlineText({ periode, articles, achats }: Rejeu): string {
  const span = periode.jours === 1 ? "Aujourd'hui" : `Ces ${formatCount(periode.jours)} derniers jours`;
  if (articles === 0) return `${span} : aucun article`;
  return `${span} : ${formatCounted(articles, "article", "articles")}${purchasesText(achats)}`;
}

function purchasesText(achats: Rejeu["achats"]): string {
  if (achats === null) return "";
  const { nombre, montant } = achats;
  if (nombre === 0) return ", dont aucun n'aurait été acheté";
  const bought = plural(nombre, "aurait été acheté", "auraient été achetés");
  const sums = [roundMoney(montant), ...savingTexts(achats)].join(", ");
  return `, dont ${formatCount(nombre)} ${bought} (${sums})`;
}

function savingTexts({ economie }: NonNullable<Rejeu["achats"]>): readonly string[] {
  if (economie === null) return [];
  const euros = Number(economie.amount);
  if (euros === 0) return ["au prix habituel"];
  const amount = roundMoney({ ...economie, amount: String(Math.abs(euros)) });
  return [`${amount} ${euros > 0 ? "sous le" : "au-dessus du"} prix habituel`];
}

/** Smaller amounts are shown with cents. */
const SMALL_EUR = 10;

/** "312 €", "4,50 €": rounded to euros from `SMALL_EUR` on. */
function roundMoney(money: Argent): string {
  const euros = Number(money.amount);
  return euros >= SMALL_EUR ? formatEuros(Math.round(euros)) : shortMoney(money);
}

/** "42 €", "42,35 €": exact, without zero cents. */
function shortMoney(money: Argent): string {
  const euros = Number(money.amount);
  return Number.isInteger(euros) ? formatEuros(euros) : formatMoney(money);
}

/** "La moins chère : 42 € — à 48 €, 6 articles de plus"; null if nothing matches at any price. */
export function cheapestText({ limite }: Rejeu): string | null {
  if (limite.moins_chere === null) return null;
  const cheapest = `La moins chère : ${shortMoney(limite.moins_chere)}`;
  const step = limite.paliers.find(({ articles }) => articles > 0);
  if (step === undefined) return cheapest;
  return `${cheapest} — à ${formatEuros(step.limit)}, ${moreText(step.articles)}`;
}

/** "6 articles de plus". */
function moreText(count: number): string {
  return `${othersText(count)} ${plural(count, "article", "articles")} de plus`;
}

/** The server's counts of additional articles stop at this number (contract). */
const MAX_OTHERS = 10_000;

function othersText(count: number): string {
  if (count === 0) return "aucun";
  return count >= MAX_OTHERS ? `au moins ${formatCount(MAX_OTHERS)}` : formatCount(count);
}

/** "sans la taille M : 96 de plus", one for each condition that is set. */
export function conditionTexts({ conditions }: Rejeu, filtre: Filtre): readonly string[] {
  return conditions.map(
    ({ champ, articles }) => `sans ${conditionName(champ, filtre)} : ${othersText(articles)} de plus`,
  );
}

/** "avec 5 € de plus : 6 de plus"; only limits that find more than the previous one. */
export function limitTexts({ limite }: Rejeu, { limit }: Pick<Filtre, "limit">): readonly string[] {
  const steps = limite.paliers;
  const highest = steps.at(-1);
  if (highest === undefined) return [];
  const dearer = (step: typeof highest): string => `avec ${formatEuros(step.limit - limit)} de plus`;
  if (highest.articles === 0) return [`même ${dearer(highest)} : aucun de plus`];
  return steps
    .filter(({ articles }, index) => articles > (steps[index - 1]?.articles ?? 0))
    .map((step) => `${dearer(step)} : ${othersText(step.articles)} de plus`);
}

/** Longer lists of names are only counted. */
const MAX_NAMES = 3;

function conditionName(champ: Rejeu["conditions"][number]["champ"], filtre: Filtre): string {
  const named = ({ ids, names }: Selection, one: string, many: string): string => {
    const shown = [...new Set(names)];
    if (shown.length === 1) return `${one}${shown[0] ?? ""}`;
    if (shown.length === 0 || shown.length > MAX_NAMES) return `les ${formatCount(ids.length)} ${many}`;
    return `les ${many} ${shown.join(", ")}`;
  };
  switch (champ) {
    case "brands":
      return named(filtre.brands, "la marque ", "marques");
    case "sizes":
      return named(filtre.sizes, "la taille ", "tailles");
    case "status":
      return named(filtre.status, "l'état ", "états");
    case "color":
      return `la couleur ${colourByName(filtre.color)?.label ?? filtre.color}`;
    case "mots":
      return `${plural(filtre.mots.length, "le mot", "les mots")} ${filtre.mots.map(formatQuoted).join(", ")}`;
    case "exclure":
      return `exclure ${filtre.exclure.map(formatQuoted).join(", ")}`;
    case "bon_prix":
      return "la condition de prix habituel";
    default:
      return champ satisfies never;
  }
}

/** "Face aux autres acheteurs : 6 à 11 sur 14 (taux mesuré sur 34 tentatives)". */
export function rivalsText({ fourchette, nombre, tentatives }: NonNullable<Rejeu["achats"]>): string {
  const start = "Face aux autres acheteurs :";
  if (fourchette === null) return `${start} inconnu, moins de 20 tentatives`;
  const { min, max } = fourchette;
  const range = min === max ? formatCount(min) : `${formatCount(min)} à ${formatCount(max)}`;
  const attempts = formatCounted(tentatives, "tentative", "tentatives");
  return `${start} ${range} sur ${formatCount(nombre)} (taux mesuré sur ${attempts})`;
}

/**
 * No statement is possible: no listing of the filter's types was ever read, as far as can be seen: without a covered
 * day, only one that the filter finds, or would find without its limit or another condition, proves a part to be read.
 */
export function isNeverRead({ couverture, articles, incertains, limite, conditions }: Rejeu): boolean {
  return (
    couverture.depuis === null &&
    articles + incertains === 0 &&
    limite.moins_chere === null &&
    conditions.every((without) => without.articles === 0)
  );
}

/** "Vu depuis le 3 novembre (19 jours sur 30)"; a general remark if no day covers all of the types. */
export function seenText({ couverture, periode }: Rejeu): string {
  const seen = coverageText(couverture, periode.jours) ?? "Une partie seulement de ces types a été lue";
  return [seen, exampleText(couverture)].filter((part) => part !== null).join(" · ");
}

/** Caveats of the figures. @param blocked the sellers whom the person blocks */
export function reserveTexts(
  rejeu: Rejeu,
  filtre: Filtre,
  blocked: readonly Pick<VendeurBloque, "id">[],
): readonly string[] {
  return [...boughtTexts(rejeu), ...countedTexts(rejeu), ...untestedTexts(filtre), ...blockedTexts(blocked)];
}

/** The archive knows sellers by their id only. */
function blockedTexts(blocked: readonly Pick<VendeurBloque, "id">[]): readonly string[] {
  const count = blocked.filter(({ id }) => id === null).length;
  const sellers = plural(
    count,
    "vendeur bloqué n'est connu que par son nom : ses",
    "vendeurs bloqués ne sont connus que par leur nom : leurs",
  );
  return count === 0 ? [] : [`${formatCount(count)} ${sellers} articles sont comptés.`];
}

function boughtTexts({ achats }: Rejeu): readonly string[] {
  if (achats === null || achats.nombre === 0) return [];
  const { nombre, compares, economie } = achats;
  const some = `L'écart au prix habituel compte ${formatCount(compares)} de ces ${formatCount(nombre)} achats : les autres n'ont pas de prix habituel connu.`;
  return ["Les montants sont hors livraison.", ...(economie !== null && compares < nombre ? [some] : [])];
}

function countedTexts({ incertains, republications, tronque }: Rejeu): readonly string[] {
  const unsure = plural(
    incertains,
    "article n'est pas compté : son type n'est connu qu'en partie",
    "articles ne sont pas comptés : leur type n'est connu qu'en partie",
  );
  const relisted = plural(
    republications,
    "de ces articles était déjà paru",
    "de ces articles étaient déjà parus",
  );
  return [
    ...(republications === 0 ? [] : [`${formatCount(republications)} ${relisted} sous une autre annonce.`]),
    ...(incertains === 0 ? [] : [`${formatCount(incertains)} ${unsure}.`]),
    ...(tronque ? ["Filtre très large : précisez les types, les marques ou le prix."] : []),
  ];
}

/** Conditions that the archive's facts cannot test, or not exactly. */
function untestedTexts({ vendeur, ignorer_republications }: Filtre): readonly string[] {
  return [
    ...(asksForSeller(vendeur) ? [UNTESTED_SELLER_TEXT] : []),
    ...(ignorer_republications ? [NO_MORE_RELISTS_TEXT] : []),
  ];
}

const NO_MORE_RELISTS_TEXT = "Les nombres « de plus » ne comptent aucune republication.";
