import { useQueryClient } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { useEffect, useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { keyOf } from '../../api/hooks.ts'
import { hostOf, type Move, useMove } from '../../api/moves.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { LinkButton } from '../../ui/links.tsx'
import { Page, Panel, Stack } from '../../ui/page.tsx'
import { Loaded, Notice } from '../../ui/states.tsx'
import { MissingMedia } from './missing-media.tsx'
import styles from './move.module.css'
import { MoveOut } from './move-out.tsx'
import { Progress } from './progress.tsx'

/** The move of the account: the form that starts one, its progress, or its end. */
export function MoveScreen() {
  const query = useMove()
  if (query.data !== undefined) return <MoveContent move={query.data} />
  return (
    <Page title={t.move.out}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function MoveContent({ move }: { readonly move: Move | null }) {
  const isRunning = move !== null && move.endedAt === undefined
  const [wasRunning, setWasRunning] = useState(isRunning)
  if (isRunning && !wasRunning) setWasRunning(true)
  if (isRunning) return <Progress move={move} />
  // An account that has moved here before can move on.
  return move && (wasRunning || move.direction === 'out') ? <Ended move={move} /> : <MoveOut />
}

/** The end of a move, with the last failure. */
function Ended({ move }: { readonly move: Move }) {
  const { did } = useSession()
  const client = useQueryClient()
  // The status of the account has changed.
  useEffect(() => {
    void client.invalidateQueries({ queryKey: keyOf(did, com.core.server.getSession) })
  }, [client, did])
  const host = hostOf(move.server)
  const isIn = move.direction === 'in'
  const title = isIn ? t.move.doneIn : t.move.doneOut(host)
  return (
    <Page title={title}>
      <Stack>
        <Panel padded>
          <div className={styles.done}>
            <CircleCheck aria-hidden size={24} strokeWidth={1.75} />
            <p>{isIn ? t.move.doneInText(host, move.handle) : t.move.doneOutText(move.handle)}</p>
            <LinkButton href="/">{t.ui.toHome}</LinkButton>
          </div>
        </Panel>
        {move.blobsMissing > 0 && (
          <>
            <Notice variant="warn">{t.move.missing(move.blobsMissing)}</Notice>
            <MissingMedia move={move} />
          </>
        )}
        {move.error && <Notice variant="warn">{move.error}</Notice>}
      </Stack>
    </Page>
  )
}
