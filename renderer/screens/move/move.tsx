import { useState } from 'react'
import { type Move, useMove } from '../../api/moves.ts'
import { t } from '../../strings/en.ts'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Ended } from './ended.tsx'
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
