import { Button } from "@mantine/core";
import { IconBolt, IconExternalLink, IconHandClick, IconShieldCheck } from "@tabler/icons-react";
import { useMutation, useMutationState, useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useId, type ReactNode } from "react";
import type { Achat } from "#contract/achat.ts";
import { ACHAT_ANNULE } from "#contract/bounds.ts";
import { useIsBlocked } from "../../api/blocked-sellers.ts";
import { call, errorText } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import { BlockSeller } from "../../ui/block-seller.tsx";
import { formatMoney } from "../../ui/format.ts";
import { formatClock, formatPurchaseDate, formatQuoted } from "../../ui/format-panel.ts";
import { WindowGuard } from "../../ui/loading/guard.tsx";
import { lazyPart } from "../../ui/loading/lazy-part.ts";
import { Loading } from "../../ui/loading/unread-part.tsx";
import { useNowMs } from "../../ui/now.ts";
import { PersonPicture, Photo } from "../../ui/photo.tsx";
import { TagBadge } from "../../ui/tag-badge.tsx";
import { usePurchaseToast } from "../../ui/toasts/purchase-toast.ts";
import { showToast } from "../../ui/toasts/show-toast.ts";
import { keepFocusInPage, leaveFocusAround } from "../../ui/windows/keep-focus.ts";
import { useAsk } from "../../ui/windows/ask.tsx";
import { amountNote, amountOf, canCancel, sourceText, statusOf } from "./achat-status.ts";
import "./achat-row.css";

const Why = lazyPart(async () => (await import("./time-line.tsx")).Why);

interface AchatRowProps {
  readonly purchase: Achat;
  readonly isWhyOpen: boolean;
  readonly onToggleWhy: () => void;
}

export function AchatRow({ purchase, isWhyOpen, onToggleWhy }: AchatRowProps) {
  const titleId = useId();
  const { product, raison } = purchase;
  const status = statusOf(purchase.status);
  const isBlocked = useIsBlocked();
  const whyId = useId();
  return (
    <div className="achat-row__space">
      <article className="achat-row card" aria-labelledby={titleId}>
        <div className="achat-row__photo">
          <Photo photo={product.photo} alt="" />
        </div>
        <div className="achat-row__words">
          <div className="row">
            <TagBadge tone={status.tone}>{status.label}</TagBadge>
            <SourceBadge purchase={purchase} />
            <time className="hint" dateTime={new Date(purchase.purchase_date * 1_000).toISOString()}>
              {formatPurchaseDate(purchase.purchase_date)}
            </time>
          </div>
          <h2 id={titleId}>
            <a href={product.url || undefined} target="_blank" rel="noopener noreferrer">
              {product.title} <IconExternalLink size={15} stroke={1.8} aria-label="(sur Vinted)" />
            </a>
          </h2>
          <dl className="achat-row__facts row">
            <Fact label="Marque">{orNone(product.brand_title)}</Fact>
            <Fact label="Taille">{orNone(product.size_title)}</Fact>
            <Fact label="État">{orNone(product.status)}</Fact>
            <Fact label="Vendeur">
              <PersonPicture url={product.user.photo?.url} size={18} />
              {product.user.login}
              {isBlocked(product.user) ? null : (
                <BlockSeller seller={product.user} onPress={leaveFocusAround} />
              )}
            </Fact>
            {purchase.filtre === null ? null : (
              <Fact label="Filtre">
                <FilterTag id={purchase.filtre} />
              </Fact>
            )}
          </dl>
          {raison === null ? null : <p className="achat-row__reason">{raison}</p>}
          <button
            type="button"
            className="achat-row__why hint"
            aria-expanded={isWhyOpen}
            aria-controls={whyId}
            aria-describedby={titleId}
            onClick={onToggleWhy}
          >
            Pourquoi ?
          </button>
        </div>
        <div className="achat-row__side">
          <Price purchase={purchase} />
          <Actions purchase={purchase} titleId={titleId} />
        </div>
        <div id={whyId} className="wide" hidden={!isWhyOpen}>
          <WindowGuard>
            <Suspense fallback={<Loading height={120} label="Chargement du récit de l'achat" />}>
              {isWhyOpen ? <Why purchaseId={purchase._id} /> : null}
            </Suspense>
          </WindowGuard>
        </div>
      </article>
    </div>
  );
}

function orNone(text: string): string {
  return text === "" ? "N/A" : text;
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="line" data-gap="6">
      <dt className="dim">{label}</dt>
      <dd className="line" data-gap="6">
        {children}
      </dd>
    </div>
  );
}

function FilterTag({ id }: { readonly id: string }) {
  const { data: filters } = useQuery(queries.filters);
  if (filters === undefined) return "…";
  return filters.find(({ _id }) => _id === id)?.tag ?? "supprimé depuis";
}

const sourceIcons: Readonly<Record<NonNullable<Achat["source"]>, ReactNode>> = {
  auto: <IconBolt size={13} stroke={2.2} />,
  clic: <IconHandClick size={13} stroke={2} />,
  externe: undefined,
};

function SourceBadge({ purchase }: { readonly purchase: Achat }) {
  const { source, simulation } = purchase;
  const text = sourceText(purchase);
  if (text === "") return null;
  return (
    <TagBadge
      tone="neutral"
      icon={source === undefined || simulation === true ? undefined : sourceIcons[source]}
    >
      {text}
    </TagBadge>
  );
}

function Price({ purchase }: { readonly purchase: Achat }) {
  return (
    <p className="achat-row__price" data-unpaid={purchase.status === ACHAT_ANNULE || undefined}>
      <strong>{formatMoney(amountOf(purchase))}</strong>
      <span>{amountNote(purchase)}</span>
    </p>
  );
}

interface ActionsProps {
  readonly purchase: Achat;
  readonly titleId: string;
}

function Actions({ purchase, titleId }: ActionsProps) {
  const confirmationUrl = purchase.purchase_confirmation;
  return (
    <div className="achat-row__actions row">
      {confirmationUrl === null ? null : <Deadline unixSeconds={purchase.echeance} />}
      {confirmationUrl === null ? null : (
        <Button
          component="a"
          variant="filled"
          href={confirmationUrl}
          target="_blank"
          rel="noopener noreferrer"
          aria-describedby={titleId}
          leftSection={<IconShieldCheck size={18} stroke={2} />}
        >
          Confirmer
        </Button>
      )}
      {purchase.annulation === "en_cours" ? (
        <Button disabled>Annulation en cours…</Button>
      ) : canCancel(purchase) ? (
        <CancelButton purchase={purchase} titleId={titleId} />
      ) : null}
    </div>
  );
}

/** About until when the listing is reserved; hidden afterwards, since its passing decides nothing. */
function Deadline({ unixSeconds }: { readonly unixSeconds: number | undefined }) {
  const nowMs = useNowMs();
  if (unixSeconds === undefined || unixSeconds * 1_000 < nowMs) return null;
  return <span className="achat-row__deadline">avant {formatClock(unixSeconds)}</span>;
}

function CancelButton({ purchase, titleId }: ActionsProps) {
  const client = useQueryClient();
  const ask = useAsk();
  const toast = usePurchaseToast();
  const mutationKey = ["cancel-purchase", purchase._id];
  const { mutate } = useMutation({
    mutationKey,
    mutationFn: (transactionId: number) => call("cancelPurchase", { body: { id: transactionId } }),
    // The socket may not be connected when the outcome comes: the list then reports it.
    onMutate: () => toast.follow(purchase),
    onSuccess: (page) => client.setQueryData(queries.purchases.queryKey, page),
    // The money is not coming back yet.
    onError: (error) => showToast({ message: errorText(error), tone: "bad", stays: true }),
    // The socket may have reported a newer state than the answer.
    onSettled: () => {
      void client.invalidateQueries({ queryKey: queries.purchases.queryKey });
      keepFocusInPage();
    },
  });
  const isPending = useMutationState({ filters: { mutationKey, status: "pending" } }).length > 0;
  const cancel = async (): Promise<void> => {
    const isSure = await ask({
      title: "Annuler cet achat ?",
      text: `${formatQuoted(purchase.product.title)}\u00A0: la demande part chez le vendeur. Le remboursement suit quand Vinted l'accepte.`,
      action: "Annuler l'achat",
      keep: "Garder l'achat",
      isDangerous: true,
    });
    if (isSure && purchase.id_transaction !== null) mutate(purchase.id_transaction);
  };
  return (
    <Button
      variant="danger-quiet"
      aria-describedby={titleId}
      loading={isPending}
      onClick={() => void cancel()}
    >
      Annuler
    </Button>
  );
}
