// Package viz draws figures in one style: learning curves, scatter plots of embeddings, bars, points on the unit
// circle, clusters with their centers, Gaussians and boundaries in the plane, distributions, matrices, confusion
// matrices, reliability diagrams, tables of accuracies, rows of small images, animations of an embedding during
// training, and a progress line. It also shows each of them in a notebook.
//
// A figure is computed from plain slices and is a [Drawer]: a *plot.Plot of gonum.org/v1/plot for [LearningCurves],
// [Scatter], [Boundaries], [AlignmentUniformity], [Bars], [StackedBars], [GroupedBars], [Distributions], [Heatmap],
// [UnitCircle] and [Clusters], which callers can change with gonum/plot; a [Drawing] for figures without axes ([Table],
// [Confusion], [ImageGrid], [ImageTable], [SquareGrid]); a [Composite] of several figures ([Panels], [Column],
// [TrainingCurves], [Reliability]); or an [Animation] ([Embeddings]). [Figure] holds the title, labels and size of a
// plot and is embedded in its configuration. [Show] shows a figure in a notebook and requires an alternative text.
// [Save] writes a figure to a file and is the only function here that writes one. Every function copies its data, and
// returns an error that wraps one of the Err values if the data cannot be drawn. Other packages compute the data.
//
//	p, err := viz.LearningCurves(viz.CurvesConfig{Figure: viz.Figure{Title: "Training loss"}, Smooth: 20}, curves...)
//	…
//	err = viz.Show(p, "The loss of PUCL falls from 6.2 to 4.9 in 400 steps; that of ssCL stays above 5.4.")
//
// # The house style
//
// The house style has a white background, dark gray text of 11 points or more, a light grid, and sizes in points (1/72
// inch). Colors come from the palette of Okabe and Ito, which stays readable with the common forms of color blindness.
// Two of them are darkened and yellow is left out, so that every mark has a contrast of 3:1 or more against the page.
// No meaning depends on color alone: each series has its own marker and line style. The kinds of examples in PU
// learning and the losses of this project have the same style in all figures (see [StyleFor]). The legend lies to the
// right of the data or, if Legend.Top of the plot is set, above it; it never covers the data. Signs of formulas that
// the font lacks are drawn as lines; any other missing letter is an error rather than an empty box.
//
// In the dark themes of JupyterLab, and of pages made of notebooks, the same figure is shown with inverted lightness
// and unchanged hues, so that it is light on dark with similar contrasts. Figures with pictures stay on white, as do
// all figures where the viewer drops styles.
//
// This package imports neither the loss functions nor the engine that runs them, so that notebook cells that only draw
// compile quickly.
package viz
