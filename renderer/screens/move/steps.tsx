import { Circle, CircleCheck, CirclePause, LoaderCircle } from 'lucide-react'
import type { Move } from '../../api/moves.ts'
import { t } from '../../strings/en.ts'
import { formatBytes } from '../../strings/format.ts'
import { classes } from '../../ui/class-names.ts'
import styles from './move.module.css'

const names = Object.keys(t.move.stepNames)
const icons = { done: CircleCheck, current: LoaderCircle, stopped: CirclePause, waiting: Circle }

/** The steps of a move with their states. The current one is announced by screen readers. */
export function Steps({ move }: { readonly move: Move }) {
  const current = names.indexOf(move.step)
  const stateOf = (index: number) => {
    if (index !== current) return index < current ? 'done' : 'waiting'
    return move.need === undefined && move.error === undefined ? 'current' : 'stopped'
  }
  return (
    <>
      <ol aria-label={t.move.steps} className={styles.steps}>
        {names.map((name, index) => {
          const state = stateOf(index)
          const Icon = icons[state]
          return (
            <li aria-current={index === current ? 'step' : undefined} data-state={state} key={name}>
              <Icon aria-hidden size={20} strokeWidth={1.75} />
              <span className={styles.stepText}>
                <span className={styles.stepName}>{t.move.stepNames[name]}</span>
                <span className="soft">{t.move.stepDetails[name]}</span>
                {name === 'media' && <MediaProgress move={move} />}
              </span>
              <span className="soft">{t.move.stateNames[state]}</span>
            </li>
          )
        })}
      </ol>
      <p className="visually-hidden" role="status">
        {t.move.announcement(t.move.stepNames[move.step] ?? '', t.move.stateNames[stateOf(current)])}
      </p>
    </>
  )
}

function MediaProgress({ move }: { readonly move: Move }) {
  const { blobsExpected, blobsCopied, bytesCopied } = move
  if (!blobsExpected) return null
  const text = t.move.mediaProgress(blobsCopied, blobsExpected, formatBytes(bytesCopied))
  return (
    <span className={classes('soft', styles.progress)}>
      <progress aria-label={t.move.stepNames.media} max={blobsExpected} value={blobsCopied} />
      <span>{text}</span>
    </span>
  )
}
