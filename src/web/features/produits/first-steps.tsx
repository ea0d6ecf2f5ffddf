import { Button } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { queries } from "../../api/queries.ts";
import { usePanelActions } from "../../layout/panel-actions.ts";
import { ButtonLink } from "../../ui/notice.tsx";
import { MarketPreview } from "./market-preview.tsx";
import { ReadyFilters } from "./ready-filters.tsx";
import "./first-steps.css";

const REFRESH_MS = 15_000;

interface FirstStepsProps {
  readonly isConnected: boolean;
  readonly hasFilters: boolean;
}

/** The way of a newcomer: connect the account, start or make a filter, watch the stream; behind it the market as it is. */
export function FirstSteps({ isConnected, hasFilters }: FirstStepsProps) {
  const { data: market } = useQuery({
    ...queries.market,
    enabled: !hasFilters,
    refetchInterval: REFRESH_MS,
  });
  return (
    <>
      <section className="first-steps" aria-labelledby="premiers-pas">
        <h2 id="premiers-pas">Premiers pas</h2>
        {hasFilters || market === undefined ? null : <ReadyFilters filtres={market.filtres} />}
        <Steps isConnected={isConnected} hasFilters={hasFilters} />
      </section>
      {hasFilters || market === undefined ? null : <MarketPreview items={market.items} />}
    </>
  );
}

function Steps({ isConnected, hasFilters }: FirstStepsProps) {
  const { openSettings } = usePanelActions();
  return (
    <ol className="first-steps__list">
      <Step
        number={1}
        isDone={isConnected}
        title="Connecter votre compte"
        text="Votre token, votre adresse et vos points relais : chiffrés, ils servent à acheter à votre place."
      >
        <Button variant={hasFilters ? "filled" : "default"} onClick={openSettings}>
          Connecter votre compte
        </Button>
      </Step>
      <Step
        number={2}
        isDone={hasFilters}
        title="Créer un filtre"
        text="Marques, tailles, prix : décrivez ce que vous cherchez, une seule fois."
      >
        <ButtonLink to="/synapse/filtres" search={{ nouveau: true }}>
          Créer un filtre
        </ButtonLink>
      </Step>
      <Step
        number={3}
        isDone={false}
        title="Regarder le flux"
        text="Chaque annonce qui correspond arrive ici, en direct. Un clic, et elle est à vous."
      />
    </ol>
  );
}

interface StepProps {
  readonly number: number;
  readonly isDone: boolean;
  readonly title: string;
  readonly text: string;
  readonly children?: ReactNode;
}

function Step({ number, isDone, title, text, children }: StepProps) {
  return (
    <li data-done={isDone || undefined}>
      <span className="first-steps__number">
        {isDone ? <IconCheck size={18} stroke={2.6} aria-label="Fait" /> : number}
      </span>
      <h3>{title}</h3>
      <p>{text}</p>
      {isDone ? null : children}
    </li>
  );
}
