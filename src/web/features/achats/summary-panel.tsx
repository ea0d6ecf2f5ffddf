import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Bilan } from "#contract/recit.ts";
import { queries } from "../../api/queries.ts";
import { formatCount, formatCounted, formatMoney } from "../../ui/format.ts";
import { Notice } from "../../ui/notice.tsx";
import { savingText, successText } from "./summary-text.ts";
import "./summary-panel.css";

const SHOWN_LOSSES = 6;

/** What all the purchases come to, read when somebody opens it. */
export function SummaryPanel() {
  const { data, isError, refetch } = useQuery(queries.purchaseSummary);
  if (data !== undefined) return <Summary bilan={data} />;
  if (!isError)
    return <Skeleton height={136} radius="lg" aria-busy="true" aria-label="Chargement du bilan" />;
  return (
    <Notice tone="neutral" action={<Button onClick={() => void refetch()}>Réessayer</Button>}>
      Le bilan n'a pas pu être lu.
    </Notice>
  );
}

function Summary({ bilan }: { readonly bilan: Bilan }) {
  const { depense, reussis, rates, economie, pertes } = bilan;
  return (
    <div className="achats-summary">
      <dl className="achats-summary__figures">
        <Figure
          label="Dépensé ce mois-ci"
          detail={`${formatMoney(depense.total)} en tout, livraison comprise`}
        >
          {formatMoney(depense.mois)}
        </Figure>
        <Figure label="Économie" detail={savingText(bilan)}>
          {economie === null ? "—" : formatMoney(economie.montant)}
        </Figure>
        <Figure
          label="Réussite"
          detail={`${formatCounted(reussis, "achat réussi", "achats réussis")}, ${formatCounted(rates, "raté", "ratés")}`}
        >
          {successText(bilan)}
        </Figure>
      </dl>
      {pertes.length === 0 ? null : (
        <section className="achats-summary__losses" aria-label="Pertes par cause">
          <h2>Pertes par cause</h2>
          <p>Les achats ratés, et les articles que Synapse n'a pas tenté d'acheter pour vous.</p>
          <ul>
            {pertes.slice(0, SHOWN_LOSSES).map(({ cause, nombre }) => (
              <li key={cause}>
                <span>{cause}</span>
                <span>{formatCount(nombre)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

interface FigureProps {
  readonly label: string;
  readonly detail: string;
  readonly children: ReactNode;
}

function Figure({ label, detail, children }: FigureProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <strong>{children}</strong>
        <span>{detail}</span>
      </dd>
    </div>
  );
}
