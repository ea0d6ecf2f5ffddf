import { Button } from "@mantine/core";
import { IconCheck, IconPlayerPlay } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { DEFAULT_LIMIT_EUR } from "#contract/bounds.ts";
import type { Filtre, FiltrePret } from "#contract/filtres/filtre.ts";
import type { ProduitVu } from "#contract/produit.ts";
import { call } from "../../api/client.ts";
import { changeFiltre } from "../../api/commands.ts";
import { queries, reloadEverything } from "../../api/queries.ts";
import { usePanelActions } from "../../layout/panel-actions.ts";
import { formatAge, formatEuros, formatMoney } from "../../ui/format.ts";
import { formatCounted, formatQuoted } from "../../ui/format-panel.ts";
import { ButtonLink } from "../../ui/notice.tsx";
import { useNowMs } from "../../ui/now.ts";
import { Photo } from "../../ui/photo.tsx";
import { showError, showToast } from "../../ui/toasts/show-toast.ts";
import { keepFocusInPage } from "../../ui/windows/keep-focus.ts";
import { useSingleMutation } from "../../ui/windows/use-single-mutation.ts";
import "./first-steps.css";

const REFRESH_MS = 15_000;

export interface FirstStepsProps {
  readonly isConnected: boolean;
  readonly hasFilters: boolean;
}

/** Onboarding: connect the account, start or create a filter, watch the stream. Below: the market preview. */
export function FirstSteps({ isConnected, hasFilters }: FirstStepsProps) {
  const { data: market } = useQuery({
    ...queries.market,
    enabled: !hasFilters,
    refetchInterval: REFRESH_MS,
  });
  return (
    <>
      <section className="first-steps card" aria-labelledby="premiers-pas">
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
    <ol className="first-steps__list stack">
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
      <span className="first-steps__number centred">
        {isDone ? <IconCheck size={18} stroke={2.6} aria-label="Fait" /> : number}
      </span>
      <h3>{title}</h3>
      <p className="aside">{text}</p>
      {isDone ? null : children}
    </li>
  );
}

/** Listings seen on the marketplace in the last minutes, dimmed because they cannot be bought here. */
function MarketPreview({ items }: { readonly items: readonly ProduitVu[] }) {
  const nowMs = useNowMs();
  if (items.length === 0) return null;
  return (
    <section className="market-preview" aria-labelledby="apercu-du-marche">
      <header className="row">
        <h2 id="apercu-du-marche">Le marché en ce moment</h2>
        <p className="hint">Un aperçu seulement : lancez un filtre pour voir et acheter vos articles.</p>
      </header>
      <ul>
        {items.map((item) => (
          <li key={item.id}>
            <Photo photo={item.photo} alt="" />
            <p className="clip hint">{item.title}</p>
            <p className="hint">
              {formatMoney(item.total_item_price)} · {formatAge(item.paru_a ?? item.vu_a, nowMs)}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** One-click filters that are known to find listings; if there are none, a filter without criteria. */
function ReadyFilters({ filtres }: { readonly filtres: readonly FiltrePret[] }) {
  const start = useStart();
  return (
    <div className="ready-filters stack" data-gap="12">
      <p className="aside">
        {filtres.length > 0
          ? "Commencez en un clic : ces filtres trouvent des articles en ce moment. Rien n'est acheté sans vous."
          : "Rien n'a été vu sur le marché ces dernières minutes. Commencez par tout ce qui arrive, précisez ensuite."}
      </p>
      <div className="ready-filters__choices stack" data-gap="8" aria-busy={start.isPending}>
        {filtres.map((filtre) => (
          <StartButton
            key={filtre.tag}
            tag={filtre.tag}
            detail={`${formatCounted(filtre.articles, "article", "articles")} en 1 h · jusqu'à ${formatEuros(filtre.limit)}`}
            isDisabled={start.isPending}
            onStart={() => start.mutate(filtre)}
          />
        ))}
        {filtres.length > 0 ? null : (
          <StartButton
            tag={EVERYTHING_TAG}
            detail={`Toutes catégories · jusqu'à ${formatEuros(DEFAULT_LIMIT_EUR)}`}
            isDisabled={start.isPending}
            onStart={() => start.mutate(null)}
          />
        )}
      </div>
    </div>
  );
}

const EVERYTHING_TAG = "Toutes les nouveautés";
const ANY = { ids: [], names: [] };
const EVERYTHING = { tag: EVERYTHING_TAG, types: ANY, brands: ANY, sizes: ANY, status: ANY };

interface StartButtonProps {
  readonly tag: string;
  readonly detail: string;
  readonly isDisabled: boolean;
  readonly onStart: () => void;
}

function StartButton({ tag, detail, isDisabled, onStart }: StartButtonProps) {
  return (
    <button
      type="button"
      aria-label={`Lancer ${formatQuoted(tag)} : ${detail}`}
      disabled={isDisabled}
      onClick={onStart}
    >
      <IconPlayerPlay size={18} stroke={2} aria-hidden="true" />
      <span className="ready-filters__tag">{tag}</span>
      <span className="ready-filters__detail hint">{detail}</span>
    </button>
  );
}

/** Creates the filter for the person: active, private, without auto-buy. Null: a filter without criteria. */
function useStart() {
  const client = useQueryClient();
  return useSingleMutation({
    mutationFn: async (pret: FiltrePret | null): Promise<Filtre> => {
      const originalId = pret?.copie_de ?? null;
      if (originalId !== null) {
        const { filtre } = await call("copyFilter", { body: { _id: originalId } });
        // A copy starts paused.
        return (await changeFiltre(client, filtre, { active: true })).filtre;
      }
      const criteria = pret === null ? EVERYTHING : criteriaOf(pret);
      return (await call("addFilter", { body: { ...criteria, private: true } })).filtre;
    },
    onSuccess: async ({ tag }) => {
      showToast({ message: `Filtre ${formatQuoted(tag)} lancé : ses articles arrivent ici.` });
      await reloadEverything(client);
      // The focused button has been unmounted.
      keepFocusInPage();
    },
    onError: async (error) => {
      showError(error);
      // A copy that could not be set going is there, paused: another press must not add a second one.
      await reloadEverything(client);
      keepFocusInPage();
    },
  });
}

function criteriaOf({ tag, types, brands, sizes, status, color, limit }: FiltrePret) {
  return { tag, types, brands, sizes, status, color, limit };
}
