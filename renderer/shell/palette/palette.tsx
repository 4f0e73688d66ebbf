import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { createStore, useStore } from '../../store.ts'
import { t } from '../../strings/en.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { sought } from '../../ui/sought.ts'
import type { PaletteItem } from './items.ts'
import styles from './palette.module.css'
import { addRecent } from './recent.ts'
import { type Results, useResults } from './use-results.ts'

export const isPaletteOpen = createStore(false)

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** How the keys that open the palette are written. */
export const paletteKeys = isMac ? t.palette.keys.mac : t.palette.keys.other

/** Finds screens, settings, people and app passwords. Ctrl+K opens and closes it, in text fields too. */
export function Palette({ isOwner }: { readonly isOwner: boolean }) {
  const isOpen = useStore(isPaletteOpen)
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      const isKey = event.key.toLowerCase() === 'k' && (isMac ? event.metaKey : event.ctrlKey)
      const isOther = event.altKey || event.shiftKey || event.isComposing
      const isCovered = !isPaletteOpen.get() && document.querySelector('dialog[open]') !== null
      if (!isKey || isOther || isCovered) return
      event.preventDefault()
      isPaletteOpen.set(!isPaletteOpen.get())
    }
    document.addEventListener('keydown', press)
    return () => {
      document.removeEventListener('keydown', press)
      isPaletteOpen.set(false)
    }
  }, [])
  return isOpen ? <PaletteDialog isOwner={isOwner} /> : null
}

function PaletteDialog({ isOwner }: { readonly isOwner: boolean }) {
  const [, navigate] = useLocation()
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState<string>()
  const id = useId()
  const results = useResults(query.trim(), isOwner)
  const items = results.groups.flatMap((group) => group.items)
  const active = items.find((item) => item.id === chosen) ?? items[0]
  const optionId = (item: PaletteItem) => `${id}-${items.indexOf(item)}`
  const open = (item: PaletteItem) => {
    isPaletteOpen.set(false)
    addRecent(item.id)
    item.onOpen?.()
    sought.set(item.section === undefined ? undefined : { path: item.path, title: item.section })
    navigate(item.path)
  }
  return (
    <Dialog onClose={() => isPaletteOpen.set(false)} title={t.palette.title}>
      <Form busy={false} onSubmit={() => active && open(active)} role="search">
        <Field
          aria-activedescendant={active && optionId(active)}
          aria-autocomplete="list"
          aria-controls={id}
          aria-expanded
          enterKeyHint="go"
          exact
          label={t.palette.field}
          maxLength={100}
          onChange={({ target }) => {
            setQuery(target.value)
            setChosen(undefined)
          }}
          onKeyDown={(event) => setChosen(nextOf(items, active, event)?.id ?? chosen)}
          role="combobox"
          unmarked
          value={query}
        />
      </Form>
      <ResultList {...{ id, results, active, optionId, open }} query={query.trim()} />
    </Dialog>
  )
}

/** Returns the item to which a key moves; undefined for other keys. */
function nextOf(items: readonly PaletteItem[], active: PaletteItem | undefined, event: KeyboardEvent) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined || !active || event.nativeEvent.isComposing) return undefined
  event.preventDefault()
  return items.at((items.indexOf(active) + step) % items.length)
}

interface ResultListProps {
  readonly id: string
  readonly query: string
  readonly results: Results
  readonly active: PaletteItem | undefined
  optionId(item: PaletteItem): string
  open(item: PaletteItem): void
}

function ResultList({ id, query, results, active, optionId, open }: ResultListProps) {
  const { groups, isEmpty, isSearching } = results
  return (
    <div className={styles.results}>
      <div className={styles.empty} role="status">
        {isEmpty && (isSearching ? t.palette.searching : t.palette.none(query))}
        {isEmpty && !isSearching && <p className="soft">{t.palette.noneHint}</p>}
      </div>
      <div aria-label={t.palette.results} id={id} role="listbox">
        {groups.map(({ name, items }) => (
          <fieldset aria-label={name} key={name}>
            <div aria-hidden className={styles.groupName}>
              {name}
            </div>
            {items.map((item) => (
              <Option
                id={optionId(item)}
                isActive={item === active}
                item={item}
                key={item.id}
                onSelect={() => open(item)}
              />
            ))}
          </fieldset>
        ))}
      </div>
    </div>
  )
}

interface OptionProps {
  readonly id: string
  readonly item: PaletteItem
  readonly isActive: boolean
  onSelect(): void
}

function Option({ id, item: { name, detail, icon: Icon, person }, isActive, onSelect }: OptionProps) {
  const option = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (isActive) option.current?.scrollIntoView({ block: 'nearest' })
  }, [isActive])
  return (
    <div
      aria-selected={isActive}
      className={styles.option}
      id={id}
      // Before the click, which would move the focus.
      onMouseDown={(event) => {
        event.preventDefault()
        onSelect()
      }}
      ref={option}
      role="option"
      tabIndex={-1}
    >
      {person && <Avatar handle={person.handle} picture={person.avatar} size="s" />}
      {Icon && <Icon aria-hidden size={18} strokeWidth={1.75} />}
      <bdi className={styles.name}>{name}</bdi>
      {detail && <span className={styles.detail}>{detail}</span>}
    </div>
  )
}
