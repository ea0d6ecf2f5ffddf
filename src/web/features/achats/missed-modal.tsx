import { Modal, Skeleton } from "@mantine/core";
import { IconMoodCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import type { Manque } from "#contract/achat.ts";
import { useIsBlocked } from "../../api/blocked-sellers.ts";
import { queries } from "../../api/queries.ts";
import { BlockSeller } from "../../ui/block-seller.tsx";
import { formatMoney, formatPurchaseDate } from "../../ui/format.ts";
import { Guard, WindowGuard } from "../../ui/guard.tsx";
import { LeftOut, ReadFailed, ScreenState } from "../../ui/notice.tsx";
import { Photo } from "../../ui/photo.tsx";
import { useIsNarrow, useOpened } from "../../ui/windows/modal.tsx";
import { TimeLineView } from "./time-line.tsx";
import "./missed-modal.css";

interface MissedModalProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Missed purchases and why: attempts that ended before the checkout, and wishes that were never attempted. */
export function MissedModal({ isOpen, onClose }: MissedModalProps) {
  const isOpened = useOpened(isOpen);
  const isNarrow = useIsNarrow();
  return (
    <Modal opened={isOpened} onClose={onClose} title="Achats manqués" size={720} fullScreen={isNarrow}>
      <WindowGuard>
        <Missed />
      </WindowGuard>
    </Modal>
  );
}

function Missed() {
  const { data, isError, refetch } = useQuery(queries.missedPurchases);
  if (data === undefined) {
    if (isError) return <ReadFailed what="Vos achats manqués" onRetry={() => void refetch()} />;
    return <Skeleton height={240} radius="lg" aria-busy="true" aria-label="Chargement des achats manqués" />;
  }
  if (data.length === 0) {
    return (
      <ScreenState
        icon={<IconMoodCheck size={28} stroke={1.6} />}
        title="Rien n'a été manqué"
        text="Ce que vos filtres automatiques n'ont pas pu acheter ces sept derniers jours apparaît ici, avec la raison."
      />
    );
  }
  return (
    <>
      <ul className="missed">
        {data.map((manque) => (
          <Guard key={`${manque.product.id} ${manque.date}`} of={manque} fallback={null}>
            <MissedRow manque={manque} />
          </Guard>
        ))}
      </ul>
      <LeftOut list="missed" one="achat manqué" many="achats manqués" />
    </>
  );
}

function MissedRow({ manque }: { readonly manque: Manque }) {
  const titleId = useId();
  const { product, raison, date } = manque;
  const isBlocked = useIsBlocked();
  return (
    <li className="missed__row" aria-labelledby={titleId}>
      <div className="missed__photo">
        <Photo photo={product.photo} alt="" />
      </div>
      <div className="missed__words">
        <h3 id={titleId}>
          <a href={product.url || undefined} target="_blank" rel="noopener noreferrer">
            {product.title}
          </a>
        </h3>
        <p className="dim">
          {formatMoney(product.total_item_price)} ·{" "}
          <time dateTime={new Date(date).toISOString()}>{formatPurchaseDate(Math.floor(date / 1_000))}</time>
        </p>
        {product.user.login === "" ? null : (
          <p className="missed__seller">
            {product.user.login}
            {isBlocked(product.user) ? null : <BlockSeller seller={product.user} />}
          </p>
        )}
        <p>{raison ?? "La cause n'est pas connue."}</p>
        <details className="fold">
          <summary aria-describedby={titleId}>Pourquoi ?</summary>
          <TimeLineView recit={{ ...manque, raison: manque.conseil, conseil: null }} />
        </details>
      </div>
    </li>
  );
}
