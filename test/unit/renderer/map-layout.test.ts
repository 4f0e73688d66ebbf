/** The drawing of what leaves this computer. */
import { expect, test } from 'vitest'
import { placesOf } from '../../../renderer/screens/network/map-layout.ts'

const endOf = ({ line }: { line: string }) => line.split(' ').slice(-2).map(Number)

test('nodes are on both sides, at equal distances, and the shorter side is centred', () => {
  const places = placesOf(5)
  expect(places.map(({ side, row }) => [side, row])).toEqual([
    ['right', 1],
    ['right', 3],
    ['right', 5],
    ['left', 2],
    ['left', 4],
  ])
  expect(places.map(endOf)).toEqual([
    [66, 16.7],
    [66, 50],
    [66, 83.3],
    [34, 33.3],
    [34, 66.7],
  ])
})

test('one node is beside the middle', () => {
  expect(placesOf(1)).toEqual([{ side: 'right', row: 1, line: 'M50 50C58 50 58 50 66 50' }])
  expect(placesOf(0)).toEqual([])
})
