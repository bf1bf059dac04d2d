import { defineConfig } from 'vitest/config'

// One project per stage of `make test`:
//   unit       everything that runs in Node against `src` (the engine's payload is built first)
//   types      type tests, `*.test-d.ts`
//   package    the built package: contents, declarations, size; the README's code
//   consumers  the packed package inside applications
//   browser    headless Chromium
const outsideUnit = ['test/package/**', 'test/docs/**', 'test/consumers/**', 'test/browser/**']
const slow = { testTimeout: 120_000, hookTimeout: 300_000, fileParallelism: false }

export default defineConfig({
  test: {
    globalSetup: ['./scripts/vitest-engine.mjs'],
    projects: [
      {
        test: {
          name: 'unit',
          environment: 'node',
          include: ['test/**/*.test.ts'],
          exclude: outsideUnit,
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'types',
          environment: 'node',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ['test/**/*.test-d.ts'],
            tsconfig: './tsconfig.json',
          },
        },
      },
      {
        test: {
          name: 'package',
          environment: 'node',
          include: ['test/package/**/*.test.ts', 'test/docs/**/*.test.ts'],
          ...slow,
        },
      },
      {
        test: {
          name: 'consumers',
          environment: 'node',
          include: ['test/consumers/*.test.ts'],
          ...slow,
        },
      },
      {
        test: {
          name: 'browser',
          environment: 'node',
          include: ['test/browser/**/*.test.ts'],
          ...slow,
        },
      },
    ],
  },
})
