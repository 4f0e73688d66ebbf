import { CloudUpload, FileKey, History } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { useIsOwner } from '../../api/account.ts'
import { useCopies } from '../../api/copies.ts'
import { isAtServer } from '../../api/endpoint.ts'
import { useProcedure } from '../../api/hooks.ts'
import type { Proof } from '../../api/passkeys.ts'
import { desktop } from '../../bridge.ts'
import { entrances } from '../../entrances.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { DialogButton } from '../../ui/dialog.tsx'
import { Panel, Row, RowList, Section } from '../../ui/page.tsx'
import { Loaded, Notice } from '../../ui/states.tsx'
import { toastError } from '../../ui/toast.tsx'
import { AddPlaceDialog } from './add-place-dialog.tsx'
import { ElsewhereNotice } from './elsewhere.tsx'
import { LocalRow } from './local-row.tsx'
import { PlaceRow } from './place-row.tsx'
import { RecoverySheetDialog } from './recovery-sheet.tsx'

const { copyNow, getCopies } = com.core.admin

/** Where the data are kept: on the computer of the server, and at places outside of it. On another computer places can be read only. */
export function ReplicasSection() {
  return useIsOwner() ? <OfOwner /> : <OfVisitor />
}

/** Backups are shown to everyone at this computer: a server that fails to start opens no session. */
function OfVisitor() {
  return (
    <Section lead={t.copies.lead} title={t.copies.title}>
      <ElsewhereNotice />
      {desktop && (
        <RowList label={t.copies.list}>
          <LocalRow />
        </RowList>
      )}
      <Notice>{t.copies.signIn}</Notice>
    </Section>
  )
}

function OfOwner() {
  const query = useCopies(true)
  /** The proof with which a place was added, if one was. Undefined: the sheet is closed. */
  const [sheetProof, showSheet] = useState<Proof | 'none'>()
  const copy = useProcedure(copyNow, [getCopies], { onError: toastError })
  const { places = [], editable: isEditable = false, sheetKept: isSheetKept, setBy } = query.data ?? {}
  const elsewhere = places.find(({ problem }) => problem?.kind === 'elsewhere')?.problem
  const hasPlaces = places.length > 0
  const hasSheet = isAtServer && hasPlaces && isSheetKept !== undefined
  const add = isEditable && (
    <DialogButton
      dialog={(close) => (
        <AddPlaceDialog onAdded={(proof) => isSheetKept || showSheet(proof)} onClose={close} />
      )}
      size="s"
    >
      {t.copies.add}
    </DialogButton>
  )
  return (
    <Section
      action={
        hasPlaces && (
          <div className="buttons">
            <Button busy={copy.isPending} onClick={() => copy.mutate(undefined)} size="s">
              {t.copies.now}
            </Button>
            {add}
          </div>
        )
      }
      lead={isAtServer ? t.copies.lead : t.copies.leadElsewhere}
      title={t.copies.title}
    >
      <ElsewhereNotice isSeen={query.data?.elsewhere || elsewhere !== undefined} since={elsewhere?.since} />
      {hasSheet && !isSheetKept && (
        <Notice
          action={
            <Button onClick={() => showSheet('none')} size="s">
              {t.sheet.remindAction}
            </Button>
          }
          variant="warn"
        >
          <strong>{t.sheet.remind}</strong> {t.sheet.remindText}
        </Notice>
      )}
      <RowList label={t.copies.list}>
        {isAtServer && <LocalRow />}
        {places.map((place) => (
          <PlaceRow isEditable={isEditable} key={place.url} now={query.dataUpdatedAt} place={place} />
        ))}
        {query.data && !hasPlaces && (
          <Row
            action={add}
            as="li"
            detail={t.copies.noneText}
            icon={<CloudUpload aria-hidden size={20} strokeWidth={1.75} />}
            title={t.copies.none}
            top
          />
        )}
      </RowList>
      {!query.data && (
        <Loaded query={query} rows={1}>
          {() => null}
        </Loaded>
      )}
      {query.data && !isEditable && <Notice>{whyFixed(setBy)}</Notice>}
      {(desktop || hasSheet) && (
        <Panel>
          {hasSheet && (
            <Row
              action={<Button onClick={() => showSheet('none')}>{t.sheet.open}</Button>}
              detail={t.sheet.detail}
              icon={<FileKey aria-hidden size={20} strokeWidth={1.75} />}
              title={t.sheet.title}
            />
          )}
          {desktop && (
            <Row
              action={<Link href={entrances.restore}>{t.restoring.restore}</Link>}
              detail={t.bringBack.wayDetail}
              icon={<History aria-hidden size={20} strokeWidth={1.75} />}
              title={t.bringBack.way}
            />
          )}
        </Panel>
      )}
      {sheetProof && (
        <RecoverySheetDialog
          onClose={() => showSheet(undefined)}
          proof={sheetProof === 'none' ? undefined : sheetProof}
        />
      )}
    </Section>
  )
}

/** Says where the places are changed. */
function whyFixed(setBy: string | undefined): string {
  if (!isAtServer) return t.copies.atServer
  return setBy === undefined ? t.copies.byProgram : t.copies.bySetting(setBy)
}
