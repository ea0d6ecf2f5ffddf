import { Button } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { usePanelActions } from "../../layout/panel-actions.ts";
import { ButtonLink } from "../../ui/button-link.tsx";
import "./first-steps.css";

interface FirstStepsProps {
  readonly isConnected: boolean;
  readonly hasFilters: boolean;
}

/** The way of a newcomer: connect the account, make a filter, watch the stream. */
export function FirstSteps({ isConnected, hasFilters }: FirstStepsProps) {
  const { openSettings } = usePanelActions();
  return (
    <section className="first-steps" aria-labelledby="premiers-pas">
      <h2 id="premiers-pas">Premiers pas</h2>
      <ol>
        <Step
          number={1}
          isDone={isConnected}
          title="Connecter son compte"
          text="Votre jeton, votre adresse et vos points relais : chiffrés, ils servent à acheter à votre place."
        >
          <Button variant={isConnected ? "default" : "filled"} onClick={openSettings}>
            Connecter mon compte
          </Button>
        </Step>
        <Step
          number={2}
          isDone={hasFilters}
          title="Créer un filtre"
          text="Marques, tailles, prix : décrivez ce que vous cherchez, une seule fois."
        >
          <ButtonLink
            to="/synapse/filtres"
            search={{ nouveau: true }}
            variant={isConnected && !hasFilters ? "filled" : "default"}
          >
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
    </section>
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
