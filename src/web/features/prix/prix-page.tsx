import { IconChartBar } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { categoryById, categoryPath } from "#catalogue/categories.ts";
import type { Populaire } from "#contract/filtres/rejeu.ts";
import { CallError } from "../../api/client.ts";
import { formatCounted } from "../../ui/format-panel.ts";
import { pastText } from "../../ui/charts/day-text.ts";
import { formatPrice } from "../../ui/charts/price-text.ts";
import { WindowGuard } from "../../ui/loading/guard.tsx";
import { ButtonLink, LeftOut, ReadFailed, ScreenState } from "../../ui/notice.tsx";
import { LoadingList } from "../../ui/loading/unread-part.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { keepFocus } from "../../ui/windows/keep-focus.ts";
import { BrandChoice, TypeChoice } from "./market-choice.tsx";
import { marketPrices, popularPairs } from "./price-queries.ts";
import { leaveFocus, PricesOf } from "./prices-of.tsx";
import "./prix-page.css";

/** Asking prices of a type, or of a brand in it; the choice is in the URL. */
export function PrixPage() {
  const { type, marque } = useSearch({ from: "/synapse/prix" });
  const typeId = type !== undefined && categoryById(type) !== undefined ? type : null;
  const brandId = marque ?? null;
  return (
    <div className="prix stack">
      <PageHeader title="Prix du marché" subtitle={`Prix demandés ${pastText()}, hors livraison`} />
      <Choices typeId={typeId} brandId={brandId} />
      <WindowGuard key={`${typeId} ${brandId}`}>
        {typeId === null ? <Popular brandId={brandId} /> : <Prices typeId={typeId} brandId={brandId} />}
      </WindowGuard>
    </div>
  );
}

interface Pair {
  readonly typeId: number | null;
  readonly brandId: number | null;
}

function searchOf({ typeId, brandId }: Pair) {
  return { ...(typeId === null ? {} : { type: typeId }), ...(brandId === null ? {} : { marque: brandId }) };
}

function Choices({ typeId, brandId }: Pair) {
  const navigate = useNavigate();
  const [open, setOpen] = useState<"type" | "brand" | null>(null);
  // Reads the cache that `Prices` fills, for the title of a brand that is not among the fifty.
  const { data: prices } = useQuery({ ...marketPrices(typeId ?? 0, brandId), enabled: false });
  const opening = (name: "type" | "brand") => ({
    isOpen: open === name,
    onToggle: () => setOpen(open === name ? null : name),
  });
  const choose = (pair: Pair, label: string): void => {
    setOpen(null);
    void navigate({ to: "/synapse/prix", search: searchOf(pair), resetScroll: false });
    // The focused option is unmounted with its list.
    keepFocus(() => document.querySelector<HTMLElement>(`.prix__choices [data-choice="${label}"] button`));
  };
  return (
    <div className="prix__choices">
      <div data-choice="type">
        <TypeChoice
          key={typeId}
          chosenId={typeId}
          onChoose={(id) => choose({ typeId: id, brandId }, "type")}
          {...opening("type")}
        />
      </div>
      <div data-choice="brand">
        <BrandChoice
          chosenId={brandId}
          chosenTitle={prices?.marque?.nom}
          onChoose={(id) => choose({ typeId, brandId: id }, "brand")}
          {...opening("brand")}
        />
      </div>
    </div>
  );
}

const SKELETONS_PX = Array.from({ length: 12 }, () => 74);

/** Frequent pairs of type and brand, before a type is chosen. */
function Popular({ brandId }: Pick<Pair, "brandId">) {
  const { data, isError, refetch } = useQuery(popularPairs);
  if (data === undefined) {
    if (isError) return <ReadFailed what="Les prix du marché" onRetry={refetch} />;
    return (
      <LoadingList className="prix__popular" label="Chargement des prix du marché" heights={SKELETONS_PX} />
    );
  }
  const pairs = brandId === null ? data : data.filter(({ marque }) => marque.id === brandId);
  return (
    <section className="stack" data-gap="12" aria-labelledby="prix-frequents">
      <div>
        <h2 id="prix-frequents">Souvent mis en vente</h2>
        <p className="aside">Les types et marques qui reviennent le plus, avec leur prix médian.</p>
      </div>
      {pairs.length === 0 ? (
        <ScreenState
          icon={<IconChartBar size={28} stroke={1.6} />}
          title="Choisissez un type"
          text={
            brandId === null
              ? "Trop peu d'annonces ont été lues pour dire ce qui revient souvent."
              : "Cette marque n'est pas parmi celles qui reviennent le plus souvent."
          }
        />
      ) : (
        <ul className="prix__popular">
          {pairs.map((pair) => (
            <li key={`${pair.type.id} ${pair.marque.id}`}>
              <PopularLink pair={pair} typeName={typeNameAmong(data, pair)} />
            </li>
          ))}
        </ul>
      )}
      <LeftOut list="popularPairs" one="prix" many="prix" />
    </section>
  );
}

interface PopularLinkProps {
  readonly pair: Populaire;
  readonly typeName: string;
}

function PopularLink({ pair: { type, marque, annonces, median }, typeName }: PopularLinkProps) {
  return (
    <Link
      to="/synapse/prix"
      search={{ type: type.id, marque: marque.id }}
      className="prix__pair card"
      onClick={leaveFocus}
    >
      <strong>{marque.nom}</strong>
      <strong>{formatPrice(Number(median.amount))}</strong>
      <span className="hint">{typeName}</span>
      <span className="hint">{formatCounted(annonces, "annonce", "annonces")}</span>
    </Link>
  );
}

/** "Robes courtes, Femmes", as labels repeat in the tree; a level deeper ("T-shirts, Filles") if needed. */
export function typeNameAmong(pairs: readonly Populaire[], { type }: Populaire): string {
  const nameOf = ({ id, nom }: Populaire["type"], depth: number): string => {
    const above = categoryPath(id)[depth];
    return above === undefined || above.id === id ? nom : `${nom}, ${above.label}`;
  };
  const short = nameOf(type, 0);
  const isShared = pairs.some((other) => other.type.id !== type.id && nameOf(other.type, 0) === short);
  return isShared ? nameOf(type, 1) : short;
}

function Prices({ typeId, brandId }: { readonly typeId: number; readonly brandId: number | null }) {
  const { data, error, refetch } = useQuery(marketPrices(typeId, brandId));
  if (data !== undefined) return <PricesOf prices={data} />;
  if (error instanceof CallError && error.status === 400)
    return (
      <ScreenState
        icon={<IconChartBar size={28} stroke={1.6} />}
        title="Cette marque n'existe pas"
        text="L'adresse de la page en nomme une qui nous est inconnue."
      >
        <ButtonLink to="/synapse/prix" search={{ type: typeId }} onClick={leaveFocus}>
          Toutes les marques
        </ButtonLink>
      </ScreenState>
    );
  if (error !== null) return <ReadFailed what="Les prix du marché" onRetry={refetch} />;
  return <LoadingList label="Chargement des prix du marché" heights={[116, 280, 220]} />;
}
