/** The cheapest and the dearest articles of a backtest, each beside its usual price. */
import type { ExempleRejeu, Rejeu } from "#contract/filtres/rejeu.ts";
import { formatDay, formatShortDay, parisDayOf } from "../../../ui/charts/day-text.ts";
import { rangeOf, RangeStrip } from "../../../ui/charts/price-ranges.tsx";
import { formatPriceRange, scaleOf } from "../../../ui/charts/price-text.ts";
import { formatMoney } from "../../../ui/format.ts";
import { LeftOut } from "../../../ui/notice.tsx";
import { TagBadge } from "../../../ui/tag-badge.tsx";

/** Up to this number of articles, one list shows them all. */
const MAX_IN_ONE_LIST = 15;

export function ReplayExamples({ rejeu }: { readonly rejeu: Rejeu }) {
  const { moins_chers: cheapest, plus_chers: dearest } = rejeu.exemples;
  if (cheapest.length === 0) return null;
  const lists =
    rejeu.articles <= MAX_IN_ONE_LIST
      ? [{ title: "Les articles, du moins cher au plus cher", list: "cheapest", examples: cheapest } as const]
      : ([
          { title: "Les moins chers", list: "cheapest", examples: cheapest },
          { title: "Les plus chers", list: "dearest", examples: dearest },
        ] as const);
  const prices = [...cheapest, ...dearest].flatMap(({ total_item_price: price, prix }) => [
    Number(price.amount),
    ...(prix === null ? [] : [Number(prix.haut.amount)]),
  ]);
  const exampleUntil = rejeu.couverture.exemple_jusqu_au;
  return (
    <div className="replay__columns stack">
      {lists.map(({ title, list, examples }) => (
        <section key={title} className="replay__part card stack" data-gap="8" aria-label={title}>
          <h2>{title}</h2>
          <ul className="replay__examples ruled">
            {examples.map((example) => (
              <li key={example.id}>
                <Example example={example} most={scaleOf(prices)} exampleUntil={exampleUntil} />
              </li>
            ))}
          </ul>
          <LeftOut list={list} one="article" many="articles" />
        </section>
      ))}
    </div>
  );
}

interface ExampleProps {
  readonly example: ExempleRejeu;
  /** The end of the scale that all examples share. */
  readonly most: number;
  /** Listings up to this day are generated and have no page on the marketplace; null: none are. */
  readonly exampleUntil: string | null;
}

function Example({ example, most, exampleUntil }: ExampleProps) {
  const { titre, marque, taille, etat, total_item_price: price, prix, vu_a, achat, url } = example;
  const isExample = exampleUntil !== null && parisDayOf(vu_a) <= exampleUntil;
  const range = prix === null ? null : rangeOf(prix);
  return (
    <>
      <p className="replay__title clip">
        {url === "" || isExample ? (
          titre
        ) : (
          <a href={url} target="_blank" rel="noreferrer">
            {titre}
          </a>
        )}
      </p>
      <p className="replay__price">
        <strong>{formatMoney(price)}</strong>
      </p>
      <p className="replay__facts hint wide">
        {[marque, taille, etat].filter((fact) => fact !== "").join(" · ")}
        {" · "}
        <time dateTime={new Date(vu_a).toISOString()} title={formatDay(vu_a)}>
          {formatShortDay(vu_a)}
        </time>
        {achat ? <TagBadge tone="neutral">Aurait été acheté</TagBadge> : null}
      </p>
      {range === null ? null : (
        <div className="replay__usual hint wide">
          <RangeStrip range={range} most={most} price={Number(price.amount)} />
          <span>habituellement {formatPriceRange(range)}</span>
        </div>
      )}
    </>
  );
}
