import { AtSign, DoorOpen, FolderClosed, KeyRound } from 'lucide-react'
import { t } from '../../strings/en.ts'
import styles from './what-is-made.module.css'

const icons = { handle: AtSign, identity: KeyRound, folder: FolderClosed, exit: DoorOpen } as const
const parts = ['handle', 'identity', 'folder', 'exit'] as const

/** What an account consists of, and that its holder can leave. */
export function WhatIsMade() {
  return (
    <div className={styles.made}>
      <p className={styles.claim}>{t.about.lead}</p>
      <ol className={styles.parts}>
        {parts.map((part) => {
          const Icon = icons[part]
          return (
            <li key={part}>
              <Icon aria-hidden size={20} strokeWidth={1.75} />
              <div>
                <strong>{t.made.names[part]}</strong>
                <p className="soft">{t.made.texts[part]}</p>
              </div>
            </li>
          )
        })}
      </ol>
    </div>
  )
}
