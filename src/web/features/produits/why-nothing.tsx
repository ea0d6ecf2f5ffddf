import { Button } from "@mantine/core";
import { IconRadar2 } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Filtre } from "#contract/filtres/filtre.ts";
import { call } from "../../api/client.ts";
import { changeFiltre, widenFiltre } from "../../api/commands.ts";
import { useLiveFeed } from "../../api/live/live-feed.ts";
import { useObservable } from "../../api/live/observable.ts";
import { usePanelActions } from "../../layout/panel-actions.ts";
import { formatCounted, formatQuoted, formatSpan } from "../../ui/format-panel.ts";
import { ButtonLink, ScreenState } from "../../ui/notice.tsx";
import { useNowMs } from "../../ui/now.ts";
import { showError } from "../../ui/toasts/show-toast.ts";
import { keepFocusInPage } from "../../ui/windows/keep-focus.ts";
import { breadthOf, type Breadth, foundText, widerText } from "./wider-filter.ts";
import "./why-nothing.css";

interface WhyNothingProps {
  readonly filtres: readonly Filtre[];
  readonly hiddenCount: number;
}

/** Why the stream is empty, each reason with the action that resolves it; without any, that it is open. */
export function WhyNothing({ filtres, hiddenCount }: WhyNothingProps) {
  const connection = useObservable(useLiveFeed().connection);
  const [newest] = filtres.filter(({ active }) => active);
  const breadth = useBreadth(newest);
  const reasons: ReactNode[] = [];
  if (connection.kind === "paused") reasons.push(<PausedFeed key="market" {...connection} />);
  if (connection.kind === "reconnecting")
    reasons.push(
      <Reason key="market" title="Le flux se reconnecte" text="Rien à faire : vos filtres restent prêts." />,
    );
  if (newest === undefined) reasons.push(<NoneActive key="none" filtres={filtres} />);
  if (hiddenCount > 0) reasons.push(<AllHidden key="hidden" count={hiddenCount} />);
  // Listings of hidden sellers were found, so the filter is not too narrow.
  else if (newest !== undefined && breadth?.kind === "narrow")
    reasons.push(<TooNarrow key="narrow" filtre={newest} breadth={breadth} />);

  if (reasons.length === 0) return <StreamIsOpen filtre={newest} breadth={breadth} />;
  return (
    <section className="why-nothing" aria-labelledby="pourquoi-rien">
      <h2 id="pourquoi-rien">Pourquoi rien ?</h2>
      <ul className="stack ruled" data-gap="20">
        {reasons}
      </ul>
    </section>
  );
}

function useBreadth(filtre: Filtre | undefined): Breadth | undefined {
  const { data } = useQuery({
    queryKey: ["breadth", filtre],
    queryFn: async ({ signal }) => {
      if (filtre === undefined) throw new Error("no filter to look at");
      return await breadthOf(filtre, async (body) => (await call("previewFilter", { body, signal })).apercu);
    },
    enabled: filtre !== undefined,
    staleTime: 60_000,
    refetchInterval: 60_000,
    retry: false,
  });
  return data;
}

interface ReasonProps {
  readonly title: string;
  readonly text: ReactNode;
  readonly children?: ReactNode;
}

function Reason({ title, text, children }: ReasonProps) {
  return (
    <li>
      <h3>{title}</h3>
      <p className="aside">{text}</p>
      {children}
    </li>
  );
}

function PausedFeed({ reason, mustAct }: { readonly reason: string; readonly mustAct?: boolean }) {
  const sentence = `${capitalised(reason).replace(/\.$/u, "")}.`;
  return (
    <Reason
      title="Le flux est en pause"
      text={
        mustAct === true
          ? sentence
          : `${sentence} Rien à faire : il reprend de lui-même, et vos filtres restent prêts.`
      }
    />
  );
}

function NoneActive({ filtres }: { readonly filtres: readonly Filtre[] }) {
  const [first] = filtres;
  const change = useFilterChange();
  if (first !== undefined && filtres.length === 1) {
    return (
      <Reason
        title="Votre filtre est en pause"
        text={`${formatQuoted(first.tag)} ne cherche rien pour le moment.`}
      >
        <Button
          variant="filled"
          loading={change.isPending}
          onClick={() => change.mutate({ filtre: first, changes: { active: true } })}
        >
          Réactiver
        </Button>
      </Reason>
    );
  }
  return (
    <Reason
      title="Tous vos filtres sont en pause"
      text={`Aucun de vos ${filtres.length} filtres ne cherche en ce moment.`}
    >
      <ButtonLink to="/synapse/filtres" variant="filled">
        Choisir ceux à réactiver
      </ButtonLink>
    </Reason>
  );
}

function AllHidden({ count }: { readonly count: number }) {
  const { openSettings } = usePanelActions();
  const text = `${formatCounted(count, "article vient", "articles viennent")} de vendeurs que vous avez bloqués.`;
  return (
    <Reason title="Tout est masqué" text={text}>
      <Button variant="filled" onClick={openSettings}>
        Voir les vendeurs bloqués
      </Button>
    </Reason>
  );
}

interface TooNarrowProps {
  readonly filtre: Filtre;
  readonly breadth: Extract<Breadth, { kind: "narrow" }>;
}

function TooNarrow({ filtre, breadth: { apercu, wider } }: TooNarrowProps) {
  const nowMs = useNowMs();
  const change = useFilterChange(widenFiltre);
  const span = formatSpan(nowMs - apercu.depuis);
  const seen = formatCounted(apercu.vus, "annonce examinée", "annonces examinées");
  const nothing = `Sur ${span}, ${formatQuoted(filtre.tag)} n'aurait rien trouvé${apercu.vus === 0 ? "" : ` parmi ${seen}`}.`;
  if (wider === null) {
    return (
      <Reason title="Le filtre est trop étroit" text={nothing}>
        <ButtonLink to="/synapse/filtres">Modifier le filtre</ButtonLink>
      </Reason>
    );
  }
  return (
    <Reason
      title="Le filtre est trop étroit"
      text={
        <>
          {nothing} <strong>{widerText(filtre, wider, nowMs)}</strong>
        </>
      }
    >
      {filtre.autobuy ? (
        // Widening an auto-buy filter makes it buy more: that is decided in its form, not by one click here.
        <ButtonLink to="/synapse/filtres">Modifier le filtre</ButtonLink>
      ) : (
        <Button
          variant="filled"
          loading={change.isPending}
          onClick={() => change.mutate({ filtre, changes: wider.changes })}
        >
          {wider.action}
        </Button>
      )}
    </Reason>
  );
}

interface StreamIsOpenProps {
  readonly filtre: Filtre | undefined;
  readonly breadth: Breadth | undefined;
}

function StreamIsOpen({ filtre, breadth }: StreamIsOpenProps) {
  const nowMs = useNowMs();
  const next = "Le premier article qui correspond à vos filtres apparaîtra ici, sans recharger la page.";
  const found =
    filtre !== undefined && breadth?.kind === "finds" ? foundText(filtre, breadth.apercu, nowMs) : null;
  return (
    <ScreenState
      icon={<IconRadar2 size={28} stroke={1.6} />}
      title="Le flux est ouvert"
      text={found === null ? next : `${found} ${next}`}
    />
  );
}

function useFilterChange(apply: typeof widenFiltre = changeFiltre) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (edit: { readonly filtre: Filtre; readonly changes: Partial<Filtre> }) =>
      apply(client, edit.filtre, edit.changes),
    onError: showError,
    onSettled: keepFocusInPage,
  });
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
