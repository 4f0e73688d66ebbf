import { CloudUpload, FileKey, History } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { useIsOwner } from '../../api/account.ts'
import { useCopies } from '../../api/copies.ts'
import { useDesktopQuery } from '../../api/desktop.ts'
import { isAtServer } from '../../api/endpoint.ts'
import { useProcedure } from '../../api/hooks.ts'
import { desktop } from '../../bridge.ts'
import { entrances } from '../../entrances.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { DialogButton } from '../../ui/dialog.tsx'
import { Panel, Row, RowList, Section } from '../../ui/page.tsx'
import { Loaded, Notice } from '../../ui/states.tsx'
import { toastError } from '../../ui/toast.tsx'
import { AddPlaceDialog } from './add-place-dialog.tsx'
import { ByServer } from './by-server.tsx'
import { ElsewhereNotice } from './elsewhere.tsx'
import { LocalRow } from './local-row.tsx'
import { PlaceRow } from './place-row.tsx'
import { RecoverySheetDialog } from './recovery-sheet.tsx'

const { copyNow, getCopies } = com.core.admin

/** Where the data are kept: on the computer of the server, and at places outside of it. In a browser places can be read only. */
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
  const { data: view } = useDesktopQuery('settings.view')
  const query = useCopies(true)
  const [showsSheet, setShowsSheet] = useState(false)
  const copy = useProcedure(copyNow, [getCopies], { onError: toastError })
  if (desktop && !view) return null
  const places = query.data?.places ?? []
  const elsewhere = places.find(({ problem }) => problem?.kind === 'elsewhere')?.problem
  const hasPlaces = places.length > 0
  const add = view && (
    <DialogButton
      dialog={(close) => (
        <AddPlaceDialog onAdded={() => !view.isSheetKept && setShowsSheet(true)} onClose={close} />
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
      {view && hasPlaces && !view.isSheetKept && (
        <Notice
          action={
            <Button onClick={() => setShowsSheet(true)} size="s">
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
          <PlaceRow key={place.url} now={query.dataUpdatedAt} place={place} view={view} />
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
      {!view && <ByServer hasPlaces={hasPlaces} />}
      {view && (
        <Panel>
          {hasPlaces && (
            <Row
              action={<Button onClick={() => setShowsSheet(true)}>{t.sheet.open}</Button>}
              detail={t.sheet.detail}
              icon={<FileKey aria-hidden size={20} strokeWidth={1.75} />}
              title={t.sheet.title}
            />
          )}
          <Row
            action={<Link href={entrances.restore}>{t.restoring.restore}</Link>}
            detail={t.bringBack.wayDetail}
            icon={<History aria-hidden size={20} strokeWidth={1.75} />}
            title={t.bringBack.way}
          />
        </Panel>
      )}
      {showsSheet && <RecoverySheetDialog onClose={() => setShowsSheet(false)} />}
    </Section>
  )
}
