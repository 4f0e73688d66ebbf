/** Native notifications that a program shows while it runs for weeks. */
import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'

class Shown extends EventEmitter {
  static readonly all: Shown[] = []
  static isSupported = () => true
  isClosed = false
  readonly title: string

  constructor({ title }: { readonly title: string }) {
    super()
    this.title = title
    Shown.all.push(this)
  }

  show() {}
  close() {
    this.isClosed = true
    this.emit('close')
  }
}
vi.mock('electron', () => ({ Notification: Shown }))
const { notify } = await import('../../../../electron/system/notify.ts')

test('the last hundred stay where the system reports no end, and react to a click', () => {
  const clicked: number[] = []
  for (let at = 0; at < 1000; at++) notify({ title: `Number ${at}` }, () => clicked.push(at))
  const open = Shown.all.filter(({ isClosed }) => !isClosed)
  expect([open.length, open[0]?.title]).toEqual([100, 'Number 900'])
  open[0]?.emit('click')
  expect(clicked).toEqual([900])
  // One that has ended makes room.
  notify({ title: 'Next' }, () => {})
  expect(open[1]?.isClosed).toBe(false)
  notify({ title: 'Another' }, () => {})
  expect(open[1]?.isClosed).toBe(true)
})
