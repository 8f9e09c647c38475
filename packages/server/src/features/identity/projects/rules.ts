/** Limited, so that nobody can fill the memory of rulesets, tokens and lists. */
export const maxProjects = 100;
export const maxEnvironments = 50;
