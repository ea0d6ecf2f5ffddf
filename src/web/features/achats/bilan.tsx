import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import type { Bilan as BilanData } from "#contract/achat.ts";
import { queries } from "../../api/queries.ts";
import { Figure } from "../../ui/charts/figure.tsx";
import { DAY_MS, formatCount, formatEuros, formatMoney } from "../../ui/format.ts";
import { parisDayOf } from "../../ui/charts/day-text.ts";
import { formatCounted } from "../../ui/format-panel.ts";
import { LeftOut } from "../../ui/notice.tsx";
import { UnreadPart } from "../../ui/loading/unread-part.tsx";
import { useIsNarrow } from "../../ui/windows/modal.tsx";
import "./bilan.css";

const SHOWN_LOSSES = 8;

/**
 * The summary of all purchases, above their list; nothing without a history. Shown from the first purchase on,
 * not from its outcome: the list below would move under the hand.
 */
export function Bilan({ hasPurchases }: { readonly hasPurchases: boolean }) {
  const titleId = useId();
  const isNarrow = useIsNarrow();
  const summary = useQuery(queries.purchaseSummary);
  const { data } = summary;
  if (data === undefined)
    return (
      <UnreadPart query={summary} className="achats__bilan-loading" radius="lg" label="Chargement du bilan">
        Le bilan n'a pas pu être lu.
      </UnreadPart>
    );
  if (!hasPurchases && !hasHistory(data)) return null;
  const content = (
    <>
      <Figures bilan={data} />
      <WeeklySpending weeks={recentWeeks(data.depense.semaines, Date.now())} />
      <Losses bilan={data} />
      <LeftOut list="weeks" one="montant" many="montants" />
      <LeftOut list="losses" one="motif" many="motifs" />
    </>
  );
  return (
    <section className={isNarrow ? "bilan card bilan--folded" : "bilan card"} aria-labelledby={titleId}>
      <h2 id={titleId} className="visually-hidden">
        Bilan
      </h2>
      {isNarrow ? (
        // On a phone the purchases come first: the summary is folded to its main figure.
        <details className="bilan__fold fold">
          <summary>
            <span>Dépensé ce mois-ci</span>
            <strong>{formatMoney(data.depense.mois)}</strong>
          </summary>
          <div className="bilan__content stack">{content}</div>
        </details>
      ) : (
        content
      )}
    </section>
  );
}

function Figures({ bilan }: { readonly bilan: BilanData }) {
  const { depense, economie } = bilan;
  const isDearer = economie !== null && economie.montant.amount.startsWith("-");
  const saved =
    economie === null
      ? "—"
      : formatMoney({ ...economie.montant, amount: economie.montant.amount.replace("-", "") });
  return (
    <dl className="bilan__figures">
      <Figure label="Dépensé ce mois-ci" detail={`${formatMoney(depense.total)} depuis le début`}>
        {formatMoney(depense.mois)}
      </Figure>
      <Figure label={isDearer ? "Payé en plus" : "Économisé"} detail={savingText(bilan)}>
        {saved}
      </Figure>
      <Figure label="Réussite" detail={endedText(bilan)}>
        {successText(bilan)}
      </Figure>
    </dl>
  );
}

const CHART_HEIGHT = 56;
/** Minimum height of a bar, so that a week without a purchase stays visible. */
const LEAST_BAR = 2;

/** Bars, with the highest and the last labelled, and a visually hidden table for screen readers. */
function WeeklySpending({ weeks }: { readonly weeks: readonly Week[] }) {
  const most = Math.max(...weeks.map(({ euros }) => euros));
  const highest = weeks.findIndex(({ euros }) => euros === most);
  const step = 100 / weeks.length;
  return (
    <figure className="bilan__chart">
      <figcaption className="hint">Dépense par semaine</figcaption>
      <svg width="100%" height={CHART_HEIGHT + 34} aria-hidden="true">
        {weeks.map(({ label, text, euros }, index) => {
          const height = most === 0 ? LEAST_BAR : Math.max(LEAST_BAR, (euros / most) * CHART_HEIGHT);
          const isNamed = index === highest || index === weeks.length - 1;
          return (
            <g key={label}>
              <rect
                x={`${index * step + step * 0.18}%`}
                y={CHART_HEIGHT + 16 - height}
                width={`${step * 0.64}%`}
                height={height}
                rx={2}
              >
                <title>{`${label} : ${text}`}</title>
              </rect>
              {isNamed && euros > 0 ? (
                <text x={`${(index + 0.5) * step}%`} y={CHART_HEIGHT + 11 - height}>
                  {formatEuros(Math.round(euros))}
                </text>
              ) : null}
            </g>
          );
        })}
        <text className="bilan__axis" x="0" y={CHART_HEIGHT + 31} data-anchor="start">
          {weeks[0]?.label}
        </text>
        <text className="bilan__axis" x="100%" y={CHART_HEIGHT + 31} data-anchor="end">
          cette semaine
        </text>
      </svg>
      <table className="visually-hidden">
        <caption>Dépense par semaine, livraison comprise</caption>
        <thead>
          <tr>
            <th scope="col">Semaine du</th>
            <th scope="col">Dépense</th>
            <th scope="col">Achats</th>
          </tr>
        </thead>
        <tbody>
          {weeks.map(({ label, text, purchases }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{text}</td>
              <td>{purchases}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

function Losses({ bilan }: { readonly bilan: BilanData }) {
  const { pertes } = bilan;
  if (pertes.length === 0) return null;
  return (
    <details className="bilan__losses fold wide">
      <summary>{lossText(bilan)} : pourquoi ?</summary>
      <ul aria-label="Pertes par cause">
        {pertes.slice(0, SHOWN_LOSSES).map(({ cause, nombre }) => (
          <li key={cause}>
            <span>{cause}</span>
            <span>{formatCount(nombre)}</span>
          </li>
        ))}
      </ul>
      <p className="bilan__note hint">
        Les achats ratés, et les articles de vos filtres automatiques qui n'ont pas pu être tentés.
      </p>
    </details>
  );
}

const SHOWN_WEEKS = 12;

export function hasHistory({ reussis, rates, pertes, depense }: BilanData): boolean {
  return reussis + rates > 0 || pertes.length > 0 || depense.semaines.length > 0;
}

/** "75 %"; "—" while no purchase has ended. */
export function successText({ reussis, rates }: Pick<BilanData, "reussis" | "rates">): string {
  const ended = reussis + rates;
  return ended === 0 ? "—" : `${Math.round((100 * reussis) / ended)}\u00A0%`;
}

/** "9 achats réussis, 1 raté". */
export function endedText({ reussis, rates }: Pick<BilanData, "reussis" | "rates">): string {
  return `${formatCounted(reussis, "achat réussi", "achats réussis")}, ${formatCounted(rates, "raté", "ratés")}`;
}

/** "1 achat raté, 134 non tentés": failures count towards the success rate, what was never tried does not. */
export function lossText({ rates, pertes }: Pick<BilanData, "rates" | "pertes">): string {
  const untried = pertes.reduce((sum, { nombre }) => sum + nombre, 0) - rates;
  const failed = formatCounted(rates, "achat raté", "achats ratés");
  if (untried <= 0) return failed;
  if (rates === 0) return formatCounted(untried, "achat non tenté", "achats non tentés");
  return `${failed}, ${formatCounted(untried, "non tenté", "non tentés")}`;
}

/** The basis of the comparison: "sur 3 achats comparables, au prix habituel de 42 annonces". */
export function savingText({ economie, confirmes }: Pick<BilanData, "economie" | "confirmes">): string {
  if (confirmes === 0) return "se calcule dès le premier achat confirmé";
  if (economie === null) return "prix habituel inconnu pour ces achats";
  const compared = formatCounted(economie.achats, "achat comparable", "achats comparables");
  const listings = formatCounted(economie.annonces, "annonce", "annonces");
  return `sur ${compared}, au prix habituel de ${listings}`;
}

export interface Week {
  /** "16/11". */
  readonly label: string;
  readonly euros: number;
  /** "12,50 €". */
  readonly text: string;
  readonly purchases: number;
}

/** The last `SHOWN_WEEKS` weeks including this one, oldest first; weeks without a purchase have zeros. */
export function recentWeeks(semaines: BilanData["depense"]["semaines"], nowMs: number): readonly Week[] {
  const known = new Map(semaines.map((semaine) => [semaine.debut, semaine]));
  const thisMonday = mondayOf(nowMs);
  return Array.from({ length: SHOWN_WEEKS }, (_, index) => {
    const monday = new Date(thisMonday - (SHOWN_WEEKS - 1 - index) * 7 * DAY_MS).toISOString().slice(0, 10);
    const { montant, achats } = known.get(monday) ?? NOTHING;
    return {
      label: `${monday.slice(8)}/${monday.slice(5, 7)}`,
      euros: Number(montant.amount),
      text: formatMoney(montant),
      purchases: achats,
    };
  });
}

const NOTHING = { montant: { amount: "0.00", currency_code: "EUR" }, achats: 0 };

/** Monday of the week in Europe/Paris, as on the server; returned as midnight UTC of that date. */
function mondayOf(atMs: number): number {
  const dayMs = Date.parse(parisDayOf(atMs));
  const daysSinceMonday = (new Date(dayMs).getUTCDay() + 6) % 7;
  return dayMs - daysSinceMonday * DAY_MS;
}
