/** The tree of a repository, compared with that of the network's library. */
import { cidForLex } from '@atproto/lex-cbor'
import { type Cid, parseCid } from '@atproto/lex-data'
import { MemoryBlockstore, MST } from '@atproto/repo'
import { expect, test } from 'vitest'
import { changeTree, emptyTree, TreeNode } from '../../../../server/repository/records/tree.ts'
import { seededRandom } from '../../../crash/random.ts'

const cids: Cid[] = []
for (let n = 0; n < 5; n++) cids.push(await cidForLex({ n }))

test('an empty tree has the root of the library', async () => {
  expect(emptyTree().cid).toBe((await (await MST.create(new MemoryBlockstore())).getPointer()).toString())
})

test('random changes give the roots of the library, also of trees that are read from blocks', async () => {
  const random = seededRandom(7)
  const pick = <T>(all: readonly T[]) => all[random(all.length)] as T
  let reference = await MST.create(new MemoryBlockstore())
  let tree = emptyTree()
  const blocks = new Map([[tree.cid, tree.bytes]])
  const read = (cid: string) => {
    const bytes = blocks.get(cid)
    if (!bytes) throw new Error(`no block ${cid}`)
    return bytes
  }
  const model = new Map<string, string>()
  let smallest = 1
  for (let round = 0; round < 160; round++) {
    // Grows, shrinks to nothing, and grows again.
    const isShrinking = round > 50 && round < 140 && random(10) < 7
    const changes = new Map<string, { cid: string | undefined; prev: string | undefined }>()
    for (let n = random(4); n >= 0; n--) {
      const isRemoved = isShrinking || (model.size > 0 && random(10) < 3)
      const key = isRemoved ? pick([...model.keys()]) : `org.example.${pick(['a', 'bcd'])}/${random(100)}`
      if (key === undefined || changes.has(key)) continue
      const prev = model.get(key)
      const cid = isRemoved ? undefined : pick(cids).toString()
      if (cid === prev) continue
      changes.set(key, { cid, prev })
    }
    for (const [key, { cid, prev }] of changes) {
      const link = cids.find((one) => one.toString() === cid)
      if (!link) reference = await reference.delete(key)
      else reference = await (prev === undefined ? reference.add(key, link) : reference.update(key, link))
      if (cid === undefined) model.delete(key)
      else model.set(key, cid)
      // The library keeps the layer of a tree that has become empty.
      if (model.size === 0) reference = await MST.create(new MemoryBlockstore())
    }
    smallest = Math.min(smallest, model.size)
    // Every other time nothing is in memory.
    const before = random(2) === 0 ? tree : TreeNode.stored(read, tree.cid)
    const changed = changeTree(
      before,
      Array.from(changes, ([key, change]) => ({ key, ...change })),
    )
    tree = changed.tree
    for (const { cid, bytes } of changed.added) {
      expect(blocks.has(cid)).toBe(false)
      blocks.set(cid, bytes)
    }
    for (const { cid } of changed.bordering) expect(blocks.has(cid)).toBe(true)
    for (const cid of changed.removed) expect(blocks.delete(cid)).toBe(true)
    expect(tree.cid).toBe((await reference.getPointer()).toString())
    const { blocks: expected } = await reference.getUnstoredBlocks()
    expect([...blocks.keys()].toSorted()).toEqual(expected.cids().map(String).toSorted())
    for (const [cid, bytes] of blocks)
      expect(Buffer.compare(bytes, expected.get(parseCid(cid) as never) ?? Buffer.from(bytes))).toBe(0)
  }
  expect(smallest).toBe(0)
})

test('removing a key that a tree does not have throws', () => {
  const change = { key: 'org.example.a/1', cid: undefined, prev: cids[0]?.toString() }
  expect(() => changeTree(emptyTree(), [change])).toThrow('The tree has no key org.example.a/1')
})
