export { demoCommand } from './command/demo-command.ts';
export { type DemoOptions, type DemoResult, runDemo } from './run/run-demo.ts';
export { type DemoCredentials, type SetUpOptions, setUpDemo } from './setup/set-up-demo.ts';
