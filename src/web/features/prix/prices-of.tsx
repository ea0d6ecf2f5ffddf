import { IconChartBar } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { Fragment, type MouseEvent, type ReactNode } from "react";
import { categoryPathLabel } from "#catalogue/categories.ts";
import { conditionById } from "#catalogue/conditions.ts";
import { sizeById } from "#catalogue/sizes.ts";
import type { FourchettePrix, PrixDuMarche } from "#contract/filtres/rejeu.ts";
import { leftOut, type ListName } from "../../api/answers.ts";
import { coverageText, exampleText, NEVER_READ_TEXT, pastText } from "../../ui/charts/day-text.ts";
import { DayBars } from "../../ui/charts/day-bars.tsx";
import { Figure } from "../../ui/charts/figure.tsx";
import { PriceRanges, rangeOf } from "../../ui/charts/price-ranges.tsx";
import { formatPrice, formatPriceRange } from "../../ui/charts/price-text.ts";
import { formatCount } from "../../ui/format.ts";
import { ButtonLink, LeftOut, ScreenState } from "../../ui/notice.tsx";
import { leaveFocusAround } from "../../ui/windows/keep-focus.ts";

/** A link to other prices is unmounted with those it is among, unless it opens in another tab or window. */
export function leaveFocus({ currentTarget, ctrlKey, metaKey, shiftKey }: MouseEvent): void {
  if (!ctrlKey && !metaKey && !shiftKey) leaveFocusAround(currentTarget);
}

/** Prices of a type, or of a brand in it: overall, by condition, size and brand; and listings per day. */
export function PricesOf({ prices }: { readonly prices: PrixDuMarche }) {
  const { annonces, type, etats, tailles, marques = [], jours } = prices;
  if (annonces === 0) return <NoPrices prices={prices} />;
  return (
    <article className="stack" aria-labelledby="prix-titre">
      <Summary prices={prices} />
      <div className="prix__parts">
        <div className="stack">
          <RangePart
            caption="Par état"
            rowTitle="État"
            list="conditionPrices"
            ranges={inOrder(etats, conditionPlace)}
          />
          <section className="card prix__part">
            <DayBars
              caption="Annonces par jour"
              days={jours.map(({ jour, annonces: count, median }) => ({
                day: jour,
                count,
                ...(median === null ? {} : { note: formatPrice(Number(median.amount)) }),
              }))}
              counted={{ one: "annonce", many: "annonces" }}
              noted="médiane"
            />
            <LeftOut list="priceDays" one="jour" many="jours" />
          </section>
          <RangePart
            caption="Par marque"
            rowTitle="Marque"
            list="brandPrices"
            ranges={marques}
            labelOf={({ id, nom }) => (
              <Link to="/synapse/prix" search={{ type: type.id, marque: id }} onClick={leaveFocus}>
                {nom}
              </Link>
            )}
          />
        </div>
        <div className="stack">
          <RangePart
            caption="Par taille"
            rowTitle="Taille"
            list="sizePrices"
            ranges={inOrder(tailles, sizePlace)}
          />
        </div>
      </div>
    </article>
  );
}

function Summary({ prices }: { readonly prices: PrixDuMarche }) {
  const range = rangeOf(prices);
  const { annonces } = prices;
  return (
    <header className="card stack prix__part">
      <div className="row between">
        <div className="prix__name stack" data-gap="4">
          <Title prices={prices} />
          <p className="hint">{categoryPathLabel(prices.type.id)}</p>
        </div>
        <NewFilter prices={prices} />
      </div>
      <dl className="prix__figures">
        <Figure
          label="Prix habituel"
          detail={range === null ? "moins de 5 annonces" : "la moitié des annonces"}
        >
          {range === null ? "—" : formatPriceRange(range)}
        </Figure>
        <Figure label="Médiane" detail="autant au-dessous qu'au-dessus">
          {range === null ? "—" : formatPrice(range.median)}
        </Figure>
        <Figure label="Annonces" detail={pastText()}>
          {formatCount(annonces)}
        </Figure>
      </dl>
      <Coverage prices={prices} />
    </header>
  );
}

/** Leads to the form of a new filter for this type and brand, up to the median price. */
function NewFilter({ prices }: { readonly prices: PrixDuMarche }) {
  const { type, marque } = prices;
  const median = rangeOf(prices)?.median ?? 0;
  return (
    <ButtonLink
      to="/synapse/filtres"
      search={{
        nouveau: true,
        tag: marque === null ? type.nom : `${type.nom} ${marque.nom}`,
        type: type.id,
        ...(marque === null ? {} : { marque: marque.id }),
        ...(median < 1 ? {} : { limite: Math.floor(median) }),
      }}
    >
      Créer un filtre
    </ButtonLink>
  );
}

function Title({ prices: { type, marque } }: { readonly prices: PrixDuMarche }) {
  return <h2 id="prix-titre">{marque === null ? type.nom : `${type.nom} · ${marque.nom}`}</h2>;
}

/** The days covered. A category with only some leaves read has prices, but no fully covered day. */
function Coverage({ prices: { couverture, jours, annonces } }: { readonly prices: PrixDuMarche }) {
  const dayCount = jours.length + leftOut.of("priceDays");
  const partly = annonces > 0 ? "Une partie seulement de ce type a été lue" : null;
  const remarks = [coverageText(couverture, dayCount) ?? partly, exampleText(couverture)];
  const said = remarks.filter((remark) => remark !== null);
  return said.length === 0 ? null : <p className="hint">{said.join(" · ")}</p>;
}

function NoPrices({ prices }: { readonly prices: PrixDuMarche }) {
  const { type, marque, couverture } = prices;
  // Without a covered day, a part of the type may have been read that has no listing of the brand.
  const isNeverRead = couverture.depuis === null && marque === null;
  return (
    <article className="stack" aria-labelledby="prix-titre">
      <div className="prix__name stack" data-gap="4">
        <Title prices={prices} />
        <p className="hint">{categoryPathLabel(type.id)}</p>
      </div>
      <ScreenState
        icon={<IconChartBar size={28} stroke={1.6} />}
        title={isNeverRead ? "Pas encore de prix" : "Aucun article"}
        text={isNeverRead ? NEVER_READ_TEXT : "Aucune annonce de ce genre n'a été lue ces 30 derniers jours."}
      >
        {marque === null ? null : (
          <ButtonLink to="/synapse/prix" search={{ type: type.id }} onClick={leaveFocus}>
            Toutes les marques
          </ButtonLink>
        )}
        {couverture.depuis !== null ? null : <ButtonLink to="/synapse/filtres">Mes filtres</ButtonLink>}
      </ScreenState>
      <Coverage prices={prices} />
    </article>
  );
}

interface RangePartProps {
  readonly caption: string;
  readonly rowTitle: string;
  readonly list: ListName;
  readonly ranges: readonly FourchettePrix[];
  readonly labelOf?: (range: FourchettePrix) => ReactNode;
}

function RangePart({ caption, rowTitle, list, ranges, labelOf = ({ nom }) => nom }: RangePartProps) {
  if (ranges.length === 0 && leftOut.of(list) === 0) return null;
  const rows = ranges.map((range) => ({
    key: range.id,
    label: labelOf(range),
    count: range.annonces,
    range: rangeOf(range),
  }));
  const known = rows.filter(({ range }) => range !== null);
  const rare = rows.filter(({ range }) => range === null);
  return (
    <section className="card prix__part">
      {known.length === 0 ? (
        <h3>{caption}</h3>
      ) : (
        <PriceRanges caption={caption} rowTitle={rowTitle} rows={known} />
      )}
      {rare.length === 0 ? null : (
        <p className="prix__rare hint">
          {"Moins de 5 annonces\u00A0: "}
          {rare.map(({ key, label, count }, index) => (
            <Fragment key={key}>
              {index === 0 ? "" : ", "}
              {label}
              {`\u00A0(${count})`}
            </Fragment>
          ))}
        </p>
      )}
      <LeftOut list={list} one="prix" many="prix" />
    </section>
  );
}

/** The server sends the most frequent first; conditions and sizes read better in their own order. */
function inOrder(
  ranges: readonly FourchettePrix[],
  placeOf: (id: number) => number,
): readonly FourchettePrix[] {
  return ranges.toSorted((one, other) => placeOf(one.id) - placeOf(other.id));
}

/** Best first. */
function conditionPlace(id: number): number {
  return conditionById(id)?.order ?? Number.MAX_SAFE_INTEGER;
}

const MAX_SIZES_IN_GROUP = 1_000;

/** From small to large, group by group. */
function sizePlace(id: number): number {
  const size = sizeById(id);
  return size === undefined ? Number.MAX_SAFE_INTEGER : size.sizeGroupId * MAX_SIZES_IN_GROUP + size.order;
}
